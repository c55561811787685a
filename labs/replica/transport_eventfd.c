/* SPDX-License-Identifier: MIT */
/*
 * Transport with libevent and io_uring. libevent waits for an eventfd that the io_uring signals at
 * each completion.
 *
 * The defect of this lab: an eventfd stays readable until it is read, and libevent's events are
 * level-triggered. A callback that reads the ring but not the eventfd is called again at once,
 * forever, so the loop never sleeps. With 'reads_eventfd', the callback reads the eventfd first.
 */
#include "replica/node.h"

#include <event2/event.h>
#include <liburing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define RING_ENTRIES  128u
#define RING_RECEIVES 64u

struct ring_receive {
	struct msghdr header;
	struct iovec vec;
	struct sockaddr_in from;
	char buffer[WIRE_BYTES];
};

struct ring_loop {
	struct io_uring ring;
	int eventfd;
	struct event_base *base;
	struct event *timer;
	struct ring_receive *receives;
};

static void ring_post_receive(struct node *n, struct ring_receive *r)
{
	struct ring_loop *loop = n->transport;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&loop->ring);

	if (!sqe)
		return;
	r->vec = (struct iovec){ r->buffer, sizeof(r->buffer) };
	r->header = (struct msghdr){ .msg_name = &r->from,
				     .msg_namelen = sizeof(r->from),
				     .msg_iov = &r->vec,
				     .msg_iovlen = 1 };
	io_uring_prep_recvmsg(sqe, n->fd, &r->header, 0);
	io_uring_sqe_set_data(sqe, r);
}

static __attribute__((noinline)) void ring_process_receive(struct node *n, struct io_uring_cqe *cqe)
{
	struct ring_receive *r = io_uring_cqe_get_data(cqe);

	if (cqe->res > 0)
		node_datagram(n, r->buffer, (size_t)cqe->res, &r->from);
	ring_post_receive(n, r);
}

static void ring_callback(evutil_socket_t fd, short what, void *arg)
{
	struct node *n = arg;
	struct ring_loop *loop = n->transport;
	struct io_uring_cqe *cqe;
	unsigned int taken = 0;

	(void)what;
	if (n->reads_eventfd) {
		eventfd_t count;

		(void)eventfd_read(fd, &count);
	}
	while (io_uring_peek_cqe(&loop->ring, &cqe) == 0) {
		ring_process_receive(n, cqe);
		io_uring_cqe_seen(&loop->ring, cqe);
		taken++;
	}
	n->rounds++;
	if (taken) {
		node_idle(n);
		io_uring_submit(&loop->ring);
	} else {
		n->empty_rounds++;
	}
	if (node_stops())
		event_base_loopbreak(loop->base);
}

static void ring_timer_set(struct node *n)
{
	struct ring_loop *loop = n->transport;
	uint64_t wait_ns = node_wait_ns(n);
	struct timeval wait = { .tv_sec = (long)(wait_ns / 1000000000u),
				.tv_usec = (long)(wait_ns % 1000000000u / 1000u) };

	event_add(loop->timer, &wait);
}

static void ring_timer_callback(evutil_socket_t fd, short what, void *arg)
{
	struct node *n = arg;
	struct ring_loop *loop = n->transport;

	(void)fd;
	(void)what;
	node_timer(n);
	ring_timer_set(n);
	if (node_stops())
		event_base_loopbreak(loop->base);
}

static int ring_open(struct node *n, struct ring_loop *loop)
{
	int r = io_uring_queue_init(RING_ENTRIES, &loop->ring, 0);

	if (r < 0) {
		fprintf(stderr, "replica: io_uring: %s\n", strerror(-r));
		return -1;
	}
	loop->eventfd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	loop->base = event_base_new();
	loop->receives = calloc(RING_RECEIVES, sizeof(*loop->receives));
	if (loop->eventfd < 0 || !loop->base || !loop->receives ||
	    io_uring_register_eventfd(&loop->ring, loop->eventfd)) {
		fprintf(stderr, "replica: no eventfd for the ring\n");
		return -1;
	}
	for (size_t i = 0; i < RING_RECEIVES; i++)
		ring_post_receive(n, &loop->receives[i]);
	io_uring_submit(&loop->ring);
	return 0;
}

int transport_eventfd(struct node *n)
{
	struct ring_loop loop = { .eventfd = -1 };
	struct event *readable;

	n->transport = &loop;
	if (ring_open(n, &loop))
		return -1;
	loop.timer = event_new(loop.base, -1, 0, ring_timer_callback, n);
	readable = event_new(loop.base, loop.eventfd, EV_READ | EV_PERSIST, ring_callback, n);
	event_add(readable, NULL);
	ring_timer_set(n);
	event_base_dispatch(loop.base);
	event_free(readable);
	event_free(loop.timer);
	event_base_free(loop.base);
	io_uring_queue_exit(&loop.ring);
	close(loop.eventfd);
	free(loop.receives);
	return 0;
}
