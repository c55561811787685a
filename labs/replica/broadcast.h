/* SPDX-License-Identifier: MIT */
/*
 * broadcast.h - configuration of broadcast.bpf.c and broadcast_xdp.bpf.c, at index 0 of their map
 * 'ports'
 */
#ifndef LABS_REPLICA_BROADCAST_H
#define LABS_REPLICA_BROADCAST_H

#define BROADCAST_REPLICAS 7

struct broadcast_ports {
	unsigned short marker; /* datagrams to this port are copied for all replicas */
	unsigned short first;  /* port of replica 0 */
	unsigned int n_replicas;
};

#endif
