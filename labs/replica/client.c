/* SPDX-License-Identifier: MIT */
/*
 * client - send requests to the replicas; a client sends its next request only after an answer
 *
 *   lab-replica-client --port P [--clients N] [--requests N] [--warm N] [--replicas N]
 *                      [--pause-us N] [--timeout-ms N] [--mark N] [--wire plain|protobuf]
 *
 * Each client has one request in flight, and waits for --pause-us between an answer and its next
 * request. The run ends when all requests are answered. Latencies of the first --warm requests do
 * not count. --wire is the kind of message of its requests.
 *
 * Each change of the leader, and with --mark every N answers, make a line, for scripts that watch.
 *
 * At the end the history of all requests is checked for linearizability (check.h). The check
 * needs the whole list of the replicas, and the requests of each client from number 1. Run this
 * program therefore only once for each start of the replicas.
 *
 * Exit status: 0 if all requests were answered and the history is linearizable, 1 if not, 2 after
 * a usage error.
 */
#include "lib/work.h"
#include "replica/check.h"
#include "replica/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct load_client {
	size_t op; /* index in load.ops of the request in flight */
	uint32_t number;
	uint64_t sent_ns;
	uint64_t again_ns; /* time to send the next request; 0: an answer is pending */
	bool waits;
};

struct load {
	struct load_client clients[VR_CLIENTS_MAX];
	struct check_op *ops;
	size_t n_ops, n_answered;
	uint64_t mark; /* print a line each time so many requests were answered; 0: never */
	uint64_t n_clients, n_requests, n_warm, n_replicas, resend_ns, timeout_ns, pause_ns;
	uint64_t resent;
	uint64_t heard_ns; /* time of the latest answer */
	uint64_t stall_ns; /* longest time without any answer */
	uint64_t n_stalls; /* times without any answer longer than LOAD_STALL_NS */
	uint32_t leader;
	bool has_leader;
	struct wire_out wire;
	uint16_t port;
	int fd;
};

#define LOAD_STALL_NS 100000000u

static uint64_t load_now_ns(void)
{
	return work_clock_ns(CLOCK_MONOTONIC);
}

static void load_send(struct load *l, uint32_t c, uint32_t to)
{
	struct vr_message m = { .type = VR_REQUEST,
				.from = c,
				.request = { c, l->clients[c].number } };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)(l->port + to)),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char buffer[WIRE_BYTES];
	size_t len;

	if (wire_begin(&l->wire, &m, 0) != 1)
		return;
	len = wire_put(&l->wire, 0, buffer);
	(void)sendto(l->fd, buffer, len, 0, (struct sockaddr *)&address, sizeof(address));
}

static void load_ask(struct load *l, uint32_t c)
{
	struct load_client *client = &l->clients[c];

	client->again_ns = 0;
	client->waits = l->n_ops < l->n_requests;
	if (!client->waits)
		return;
	client->op = l->n_ops++;
	client->number++;
	client->sent_ns = load_now_ns();
	l->ops[client->op] = (struct check_op){ .id = { c, client->number },
						.asked_ns = client->sent_ns,
						.answered_ns = CHECK_NEVER };
	load_send(l, c, l->leader);
}

/* Note the times without an answer. Print each new leader, for scripts that kill it. */
static void load_heard(struct load *l, uint32_t from, uint64_t now_ns)
{
	uint64_t gap_ns = l->heard_ns ? now_ns - l->heard_ns : 0;

	l->heard_ns = now_ns;
	if (gap_ns > l->stall_ns)
		l->stall_ns = gap_ns;
	l->n_stalls += gap_ns > LOAD_STALL_NS;
	if (l->has_leader && l->leader == from)
		return;
	l->leader = from;
	l->has_leader = true;
	printf("leader %u after %" PRIu64 " ms without an answer\n", from, gap_ns / 1000000);
	fflush(stdout);
}

static void load_answer(struct load *l, const struct vr_message *m)
{
	struct load_client *client;
	struct check_op *op;

	if (m->type != VR_REPLY || m->request.client >= l->n_clients)
		return;
	client = &l->clients[m->request.client];
	if (!client->waits || m->request.number != client->number)
		return;
	op = &l->ops[client->op];
	op->answered_ns = load_now_ns();
	op->place = m->place;
	op->before = m->before;
	load_heard(l, m->from, op->answered_ns);
	l->n_answered++;
	if (l->mark && l->n_answered % l->mark == 0) {
		printf("at %zu\n", l->n_answered);
		fflush(stdout);
	}
	client->waits = false;
	if (l->pause_ns)
		client->again_ns = op->answered_ns + l->pause_ns;
	else
		load_ask(l, m->request.client);
}

static void load_resend(struct load *l, uint64_t now_ns)
{
	for (uint32_t c = 0; c < l->n_clients; c++) {
		if (!l->clients[c].waits || now_ns - l->clients[c].sent_ns < l->resend_ns)
			continue;
		l->clients[c].sent_ns = now_ns;
		l->resent++;
		for (uint32_t i = 0; i < l->n_replicas; i++)
			load_send(l, c, i);
	}
}

/*
 * Send the next requests of clients whose pause is over. Returns the number of ms until the next
 * pause ends.
 */
static int load_wake(struct load *l, uint64_t now_ns)
{
	uint64_t next_ns = now_ns + 20000000;

	for (uint32_t c = 0; l->pause_ns && c < l->n_clients; c++) {
		uint64_t again_ns = l->clients[c].again_ns;

		if (again_ns && again_ns <= now_ns)
			load_ask(l, c);
		else if (again_ns && again_ns < next_ns)
			next_ns = again_ns;
	}
	return (int)((next_ns - now_ns + 999999) / 1000000);
}

static bool load_run(struct load *l)
{
	uint64_t begin_ns = load_now_ns();
	uint64_t looked_ns = begin_ns;

	for (uint32_t c = 0; c < l->n_clients; c++) {
		if (l->pause_ns)
			l->clients[c].again_ns = begin_ns + c * l->pause_ns / l->n_clients + 1;
		else
			load_ask(l, c);
	}
	while (l->n_answered < l->n_requests) {
		struct pollfd fd = { .fd = l->fd, .events = POLLIN };
		uint64_t now_ns;
		char buffer[WIRE_BYTES];
		ssize_t len;

		(void)poll(&fd, 1, load_wake(l, load_now_ns()));
		while ((len = recv(l->fd, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
			struct vr_message m;

			if (wire_get(NULL, buffer, (size_t)len, &m) && m.from < l->n_replicas)
				load_answer(l, &m);
		}
		now_ns = load_now_ns();
		if (now_ns - looked_ns > l->resend_ns / 4) {
			looked_ns = now_ns;
			load_resend(l, now_ns);
		}
		if (now_ns - begin_ns > l->timeout_ns)
			return false;
	}
	return true;
}

static int load_by_number(const void *va, const void *vb)
{
	const uint64_t *a = va;
	const uint64_t *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Print latencies and rate of the requests after the warm-up. Requests are in the order in which
 * they were sent.
 */
static void load_print(const struct load *l)
{
	uint64_t *latency_ns = calloc(l->n_ops + 1, sizeof(*latency_ns));
	uint64_t first_ns = UINT64_MAX;
	uint64_t last_ns = 0;
	size_t n = 0;

	if (!latency_ns)
		return;
	for (size_t i = l->n_warm; i < l->n_ops; i++) {
		const struct check_op *op = &l->ops[i];

		if (op->answered_ns == CHECK_NEVER)
			continue;
		latency_ns[n++] = op->answered_ns - op->asked_ns;
		if (op->asked_ns < first_ns)
			first_ns = op->asked_ns;
		if (op->answered_ns > last_ns)
			last_ns = op->answered_ns;
	}
	qsort(latency_ns, n, sizeof(*latency_ns), load_by_number);
	work_print("answered", l->n_answered);
	work_print("resent", l->resent);
	work_print("stall_max_ns", l->stall_ns);
	work_print("stalls", l->n_stalls);
	if (n) {
		work_print("latency_p50_ns", latency_ns[n / 2]);
		work_print("latency_p99_ns", latency_ns[n * 99 / 100]);
		work_print("latency_max_ns", latency_ns[n - 1]);
		work_print("rate", n * 1000000000u / (last_ns - first_ns + 1));
	}
	free(latency_ns);
}

static bool load_parse(int argc, char **argv, struct load *l)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		uint64_t value = work_number(argv[i + 1]);

		if (strcmp(argv[i], "--port") == 0)
			l->port = (uint16_t)value;
		else if (strcmp(argv[i], "--clients") == 0)
			l->n_clients = value;
		else if (strcmp(argv[i], "--requests") == 0)
			l->n_requests = value;
		else if (strcmp(argv[i], "--warm") == 0)
			l->n_warm = value;
		else if (strcmp(argv[i], "--replicas") == 0)
			l->n_replicas = value;
		else if (strcmp(argv[i], "--timeout-ms") == 0)
			l->timeout_ns = value * 1000000;
		else if (strcmp(argv[i], "--mark") == 0)
			l->mark = value;
		else if (strcmp(argv[i], "--pause-us") == 0)
			l->pause_ns = value * 1000;
		else if (strcmp(argv[i], "--wire") != 0 ||
			 !wire_kind_find(argv[i + 1], &l->wire.kind))
			return false;
	}
	return argc % 2 && l->port && l->n_clients && l->n_clients <= VR_CLIENTS_MAX &&
	       l->n_requests && l->n_requests <= UINT32_MAX && l->n_replicas &&
	       l->n_replicas <= VR_REPLICAS_MAX;
}

int main(int argc, char **argv)
{
	struct load l = { .n_clients = 16,
			  .n_requests = 10000,
			  .n_replicas = 3,
			  .resend_ns = 200000000,
			  .timeout_ns = 60000000000u };
	char why[200] = "";
	bool is_done;
	bool is_right;

	if (!load_parse(argc, argv, &l)) {
		fprintf(stderr, "usage: lab-replica-client --port P [--clients N] [--requests N] "
				"[--warm N] [--replicas N] [--pause-us N] [--timeout-ms N] "
				"[--mark N] [--wire plain|protobuf]\n");
		return 2;
	}
	l.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	l.ops = calloc(l.n_requests, sizeof(*l.ops));
	if (l.fd < 0 || !l.ops) {
		fprintf(stderr, "client: %s\n", strerror(errno));
		return 1;
	}
	is_done = load_run(&l);
	load_print(&l);
	work_print_cost();
	is_right = check_history(l.ops, l.n_ops, why, sizeof(why));
	if (!is_done)
		printf("not all requests were answered\n");
	if (!is_right)
		printf("not linearizable: %s\n", why);
	work_print("linearizable", is_right);
	free(l.ops);
	wire_out_fini(&l.wire);
	close(l.fd);
	return is_done && is_right ? 0 : 1;
}
