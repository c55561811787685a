/* SPDX-License-Identifier: MIT */
/*
 * Transport with io_uring alone. One receive request (multishot) delivers all datagrams, in
 * buffers of a ring that the program provides. Datagrams are sent by further requests. One system
 * call submits all requests and waits for completions.
 */
#include "replica/node.h"

#include <liburing.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define URING_ENTRIES 512u
#define URING_BUFFERS 256u /* must be a power of two */
#define URING_SENDS   256u
#define URING_GROUP   1u
/* io_uring writes a header and the sender's address before the data */
#define URING_BUFFER_BYTES \
	(WIRE_BYTES + sizeof(struct io_uring_recvmsg_out) + sizeof(struct sockaddr_in))

struct uring_send {
	struct msghdr header;
	struct iovec vec;
	struct sockaddr_in to;
	bool is_used;
	char buffer[WIRE_BYTES];
};

struct uring_loop {
	struct io_uring ring;
	struct io_uring_buf_ring *buffers;
	char *data;
	struct uring_send *sends;
	size_t next_send;
	/* a template: io_uring reads only the lengths of address and control data */
	struct msghdr receive;
	bool is_receiving;
};

static void uring_give(struct uring_loop *loop, unsigned int id, int at)
{
	io_uring_buf_ring_add(loop->buffers, loop->data + (size_t)id * URING_BUFFER_BYTES,
			      (unsigned int)URING_BUFFER_BYTES, (unsigned short)id,
			      io_uring_buf_ring_mask(URING_BUFFERS), at);
}

static void uring_send(struct node *n, const struct sockaddr_in *to, const void *data, size_t len)
{
	struct uring_loop *loop = n->transport;
	struct uring_send *s = &loop->sends[loop->next_send];
	struct io_uring_sqe *sqe = s->is_used ? NULL : io_uring_get_sqe(&loop->ring);

	if (!sqe) {
		(void)sendto(n->fd, data, len, MSG_DONTWAIT, (const struct sockaddr *)to,
			     sizeof(*to));
		return;
	}
	loop->next_send = (loop->next_send + 1) % URING_SENDS;
	memcpy(s->buffer, data, len);
	s->is_used = true;
	s->to = *to;
	s->vec = (struct iovec){ s->buffer, len };
	s->header = (struct msghdr){ .msg_name = &s->to,
				     .msg_namelen = sizeof(s->to),
				     .msg_iov = &s->vec,
				     .msg_iovlen = 1 };
	io_uring_prep_sendmsg(sqe, n->fd, &s->header, 0);
	io_uring_sqe_set_data(sqe, s);
}

static void uring_receive(struct node *n)
{
	struct uring_loop *loop = n->transport;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&loop->ring);

	if (!sqe)
		return;
	io_uring_prep_recvmsg_multishot(sqe, n->fd, &loop->receive, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = URING_GROUP;
	io_uring_sqe_set_data(sqe, NULL);
	loop->is_receiving = true;
}

static void uring_completed(struct node *n, struct io_uring_cqe *cqe)
{
	struct uring_loop *loop = n->transport;
	struct uring_send *s = io_uring_cqe_get_data(cqe);
	struct io_uring_recvmsg_out *out;
	unsigned int id;

	if (s) {
		s->is_used = false;
		return;
	}
	if (!(cqe->flags & IORING_CQE_F_MORE))
		loop->is_receiving = false;
	if (!(cqe->flags & IORING_CQE_F_BUFFER))
		return;
	id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
	out = cqe->res < 0 ? NULL
			   : io_uring_recvmsg_validate(loop->data + (size_t)id * URING_BUFFER_BYTES,
						       cqe->res, &loop->receive);
	if (out)
		node_datagram(n, io_uring_recvmsg_payload(out, &loop->receive),
			      io_uring_recvmsg_payload_length(out, cqe->res, &loop->receive),
			      io_uring_recvmsg_name(out));
	uring_give(loop, id, 0);
	io_uring_buf_ring_advance(loop->buffers, 1);
}

static int uring_open(struct uring_loop *loop)
{
	struct io_uring_buf_reg registration = { .ring_entries = URING_BUFFERS,
						 .bgid = URING_GROUP };
	int r = io_uring_queue_init(URING_ENTRIES, &loop->ring,
				    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);

	if (r == -EINVAL)
		r = io_uring_queue_init(URING_ENTRIES, &loop->ring, 0);
	if (r < 0) {
		fprintf(stderr, "replica: io_uring: %s\n", strerror(-r));
		return -1;
	}
	loop->buffers = aligned_alloc(4096, URING_BUFFERS * sizeof(struct io_uring_buf));
	loop->data = malloc(URING_BUFFERS * URING_BUFFER_BYTES);
	loop->sends = calloc(URING_SENDS, sizeof(*loop->sends));
	if (!loop->buffers || !loop->data || !loop->sends)
		return -1;
	io_uring_buf_ring_init(loop->buffers);
	registration.ring_addr = (uint64_t)(uintptr_t)loop->buffers;
	r = io_uring_register_buf_ring(&loop->ring, &registration, 0);
	if (r < 0) {
		fprintf(stderr, "replica: ring of buffers: %s\n", strerror(-r));
		return -1;
	}
	for (unsigned int i = 0; i < URING_BUFFERS; i++)
		uring_give(loop, i, (int)i);
	io_uring_buf_ring_advance(loop->buffers, URING_BUFFERS);
	loop->receive.msg_namelen = sizeof(struct sockaddr_in);
	return 0;
}

static void uring_round(struct node *n)
{
	struct uring_loop *loop = n->transport;
	uint64_t wait_ns = node_wait_ns(n);
	struct __kernel_timespec wait = { .tv_sec = (long long)(wait_ns / 1000000000u),
					  .tv_nsec = (long long)(wait_ns % 1000000000u) };
	struct io_uring_cqe *cqe;
	unsigned int head;
	unsigned int taken = 0;

	if (!loop->is_receiving)
		uring_receive(n);
	(void)io_uring_submit_and_wait_timeout(&loop->ring, &cqe, 1, &wait, NULL);
	io_uring_for_each_cqe(&loop->ring, head, cqe)
	{
		uring_completed(n, cqe);
		taken++;
	}
	io_uring_cq_advance(&loop->ring, taken);
	n->rounds++;
	n->empty_rounds += taken == 0;
	if (node_wait_ns(n) == 0)
		node_timer(n);
	node_idle(n);
}

int transport_uring(struct node *n)
{
	struct uring_loop loop = { 0 };

	n->transport = &loop;
	if (uring_open(&loop))
		return -1;
	n->send = uring_send;
	while (!node_stops())
		uring_round(n);
	io_uring_queue_exit(&loop.ring);
	free(loop.buffers);
	free(loop.data);
	free(loop.sends);
	return 0;
}
