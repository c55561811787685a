/* SPDX-License-Identifier: MIT */
/*
 * Transport with libevent on epoll. When the socket is readable, read all pending datagrams, then
 * send the collected messages.
 */
#include "replica/node.h"

#include <event2/event.h>

#include <stdio.h>
#include <sys/socket.h>

struct epoll_loop {
	struct event_base *base;
	struct event *timer;
};

static void epoll_timer_set(struct node *n)
{
	struct epoll_loop *loop = n->transport;
	uint64_t wait_ns = node_wait_ns(n);
	struct timeval wait = { .tv_sec = (long)(wait_ns / 1000000000u),
				.tv_usec = (long)(wait_ns % 1000000000u / 1000u) };

	event_add(loop->timer, &wait);
}

static void epoll_end_if_asked(struct node *n)
{
	struct epoll_loop *loop = n->transport;

	if (node_stops())
		event_base_loopbreak(loop->base);
}

static void epoll_timer_callback(evutil_socket_t fd, short what, void *arg)
{
	struct node *n = arg;

	(void)fd;
	(void)what;
	node_timer(n);
	epoll_timer_set(n);
	epoll_end_if_asked(n);
}

static void epoll_socket_callback(evutil_socket_t fd, short what, void *arg)
{
	struct node *n = arg;
	char buffer[WIRE_BYTES];
	ssize_t len;

	(void)what;
	n->rounds++;
	for (;;) {
		struct sockaddr_in from = { 0 };
		socklen_t size = sizeof(from);

		len = recvfrom(fd, buffer, sizeof(buffer), MSG_DONTWAIT, (struct sockaddr *)&from,
			       &size);
		if (len < 0)
			break;
		node_datagram(n, buffer, (size_t)len, &from);
	}
	node_idle(n);
	epoll_end_if_asked(n);
}

int transport_epoll(struct node *n)
{
	struct epoll_loop loop = { .base = event_base_new() };
	struct event *readable;

	if (!loop.base) {
		fprintf(stderr, "replica: libevent has no way to wait\n");
		return -1;
	}
	n->transport = &loop;
	loop.timer = event_new(loop.base, -1, 0, epoll_timer_callback, n);
	readable = event_new(loop.base, n->fd, EV_READ | EV_PERSIST, epoll_socket_callback, n);
	event_add(readable, NULL);
	epoll_timer_set(n);
	event_base_dispatch(loop.base);
	event_free(readable);
	event_free(loop.timer);
	event_base_free(loop.base);
	return 0;
}
