/* SPDX-License-Identifier: MIT */
/*
 * node.h - a replica with a UDP socket, shared by the transports
 *
 * A transport waits for datagrams and timeouts, and calls
 *
 *   node_datagram()  for each datagram received,
 *   node_idle()      when all are processed, to send the collected messages,
 *   node_timer()     when node_wait_ns() is over.
 *
 * If the transport sets node->send, that function sends datagrams; otherwise sendto() does.
 */
#ifndef LABS_REPLICA_NODE_H
#define LABS_REPLICA_NODE_H

#include "replica/wire.h"

#include <netinet/in.h>

/*
 * This number plus the port of replica 0 is the marker port: the kernel copies a datagram to it
 * for all other replicas (broadcast.bpf.c, broadcast_xdp.bpf.c).
 */
#define NODE_PORT_BROADCAST 50u

struct node {
	struct vr_out out; /* must be the first member: callbacks cast it to struct node */
	struct vr vr;
	struct wire_in in;
	struct wire_out wire;
	int fd;
	uint16_t port; /* port of replica 0 */
	uint32_t serial;
	struct sockaddr_in clients[VR_CLIENTS_MAX];
	const char *state_path;       /* file that stores the view */
	struct sockaddr_in broadcast; /* destination of a PREPARE for all others */
	bool reads_eventfd;
	bool is_recovering;
	uint64_t reported_ns[VR_TROUBLES]; /* when each was last printed */
	uint64_t datagrams_in, datagrams_out, rounds, empty_rounds;
	void *transport;
	/* sends a datagram, and must copy @data; NULL: sendto() */
	void (*send)(struct node *n, const struct sockaddr_in *to, const void *data, size_t len);
};

/*
 * A transport: runs its loop until node_stops() is true. Returns 0, or -1 after a message on
 * stderr.
 */
typedef int node_transport(struct node *n);

node_transport transport_epoll;
/* libevent and io_uring: libevent waits for an eventfd that the io_uring signals */
node_transport transport_eventfd;
node_transport transport_uring;

bool node_stops(void);
void node_datagram(struct node *n, const void *data, size_t len, const struct sockaddr_in *from);
void node_idle(struct node *n);
void node_timer(struct node *n);
uint64_t node_wait_ns(const struct node *n);
uint64_t node_now_ns(void);

#endif
