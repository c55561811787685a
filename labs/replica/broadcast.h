/* SPDX-License-Identifier: MIT */
/*
 * broadcast.h - what broadcast.bpf.c is told: slot 0 of its map 'ports'
 */
#ifndef LABS_REPLICA_BROADCAST_H
#define LABS_REPLICA_BROADCAST_H

struct broadcast_ports {
	unsigned short marker; /* what comes here is for all */
	unsigned short first;  /* of replica 0 */
	unsigned int n_replicas;
};

#endif
