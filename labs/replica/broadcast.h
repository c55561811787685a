/* SPDX-License-Identifier: MIT */
/* broadcast.h - configuration of broadcast.bpf.c, at index 0 of its map 'ports' */
#ifndef LABS_REPLICA_BROADCAST_H
#define LABS_REPLICA_BROADCAST_H

struct broadcast_ports {
	unsigned short marker; /* datagrams to this port are cloned for all replicas */
	unsigned short first;  /* port of replica 0 */
	unsigned int n_replicas;
};

#endif
