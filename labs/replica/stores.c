/* SPDX-License-Identifier: MIT */
/*
 * stores - send requests to redis-server or etcd, as client.c does to the replicas
 *
 *   lab-replica-stores redis|etcd PORT CLIENTS REQUESTS PAUSE_US
 *
 * Each client has a TCP connection and one request in flight, and waits for PAUSE_US between an
 * answer and its next request. A request appends to a list in Redis, and is answered when one other
 * server has it (WAIT 1); in etcd it puts a key, through the HTTP gateway. Exit status: 0 if all
 * requests were answered, otherwise 1.
 */
#include "lib/work.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STORES_CLIENTS_MAX 64u
#define STORES_ANSWER_MAX  4096u
#define STORES_TIMEOUT_NS  100000000000u

struct stores_client {
	uint64_t asked_ns; /* 0: no request in flight */
	uint64_t again_ns; /* time of the next request */
	size_t n_read;
	char answer[STORES_ANSWER_MAX + 1];
};

struct stores {
	bool is_etcd;
	uint64_t n_clients, n_requests, pause_ns;
	uint64_t n_asked, n_answered, n_bad;
	uint64_t *latency_ns;
	struct pollfd fds[STORES_CLIENTS_MAX];
	struct stores_client clients[STORES_CLIENTS_MAX];
};

static int stores_connect(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void stores_ask(struct stores *s, size_t i)
{
	/* base64 of "key" and "value" */
	static const char put[] = "{\"key\":\"a2V5\",\"value\":\"dmFsdWU=\"}";
	struct stores_client *c = &s->clients[i];
	char request[512];
	int n;

	if (s->n_asked == s->n_requests)
		return;
	s->n_asked++;
	if (s->is_etcd)
		n = snprintf(request, sizeof(request),
			     "POST /v3/kv/put HTTP/1.1\r\nHost: localhost\r\n"
			     "Content-Length: %zu\r\n\r\n%s",
			     sizeof(put) - 1, put);
	else
		n = snprintf(request, sizeof(request), "RPUSH list %zu.%" PRIu64 "\r\nWAIT 1 0\r\n",
			     i, s->n_asked);
	c->n_read = 0;
	c->asked_ns = work_clock_ns(CLOCK_MONOTONIC);
	if (write(s->fds[i].fd, request, (size_t)n) != n)
		s->n_bad++;
}

/* Whether the answer is complete; @ret_is_good: and the request was done. */
static bool stores_is_complete(const struct stores *s, const char *text, bool *ret_is_good)
{
	const char *body = strstr(text, "\r\n\r\n");
	const char *length = strstr(text, "Content-Length: ");
	const char *line = strstr(text, "\r\n");

	if (s->is_etcd) {
		*ret_is_good = strncmp(text, "HTTP/1.1 200", 12) == 0;
		return body && length && strlen(body + 4) >= strtoul(length + 16, NULL, 10);
	}
	/* ":LENGTH" and ":REPLICAS" */
	*ret_is_good = text[0] == ':' && line && line[2] == ':' && line[3] != '0';
	return line && strstr(line + 2, "\r\n");
}

static void stores_read(struct stores *s, size_t i)
{
	struct stores_client *c = &s->clients[i];
	ssize_t len = read(s->fds[i].fd, c->answer + c->n_read, STORES_ANSWER_MAX - c->n_read);
	bool is_good = false;
	uint64_t now_ns;

	if (len <= 0) {
		s->n_bad++;
		return;
	}
	c->n_read += (size_t)len;
	c->answer[c->n_read] = '\0';
	if (!c->asked_ns || !stores_is_complete(s, c->answer, &is_good))
		return;
	now_ns = work_clock_ns(CLOCK_MONOTONIC);
	s->n_bad += !is_good;
	s->latency_ns[s->n_answered++] = now_ns - c->asked_ns;
	c->asked_ns = 0;
	c->again_ns = now_ns + s->pause_ns;
	if (!s->pause_ns)
		stores_ask(s, i);
}

/* Send the requests whose pause is over. Returns the ms until the next pause ends. */
static int stores_wake(struct stores *s)
{
	uint64_t now_ns = work_clock_ns(CLOCK_MONOTONIC);
	uint64_t next_ns = now_ns + 20000000;

	for (size_t i = 0; i < s->n_clients; i++) {
		struct stores_client *c = &s->clients[i];

		if (c->asked_ns)
			continue;
		if (c->again_ns <= now_ns)
			stores_ask(s, i);
		else if (c->again_ns < next_ns)
			next_ns = c->again_ns;
	}
	return (int)((next_ns - now_ns + 999999) / 1000000);
}

static int stores_by_number(const void *va, const void *vb)
{
	const uint64_t *a = va;
	const uint64_t *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static void stores_run(struct stores *s)
{
	uint64_t begin_ns = work_clock_ns(CLOCK_MONOTONIC);
	uint64_t n;

	for (size_t i = 0; i < s->n_clients; i++)
		s->clients[i].again_ns = begin_ns + i * s->pause_ns / s->n_clients;
	while (s->n_answered < s->n_requests && !s->n_bad &&
	       work_clock_ns(CLOCK_MONOTONIC) - begin_ns < STORES_TIMEOUT_NS) {
		(void)poll(s->fds, s->n_clients, stores_wake(s));
		for (size_t i = 0; i < s->n_clients; i++) {
			if (s->fds[i].revents)
				stores_read(s, i);
		}
	}
	n = s->n_answered;
	work_print("answered", n);
	work_print("bad", s->n_bad);
	if (!n)
		return;
	qsort(s->latency_ns, n, sizeof(*s->latency_ns), stores_by_number);
	work_print("latency_p50_ns", s->latency_ns[n / 2]);
	work_print("latency_p99_ns", s->latency_ns[n * 99 / 100]);
	work_print("rate", n * 1000000000u / (work_clock_ns(CLOCK_MONOTONIC) - begin_ns + 1));
}

int main(int argc, char **argv)
{
	static struct stores s;
	bool is_right = argc == 6 && (!strcmp(argv[1], "redis") || !strcmp(argv[1], "etcd"));

	if (is_right) {
		s.is_etcd = strcmp(argv[1], "etcd") == 0;
		s.n_clients = work_number(argv[3]);
		s.n_requests = work_number(argv[4]);
		s.pause_ns = work_number(argv[5]) * 1000;
	}
	if (!is_right || !s.n_clients || s.n_clients > STORES_CLIENTS_MAX || !s.n_requests) {
		fprintf(stderr, "usage: lab-replica-stores redis|etcd PORT CLIENTS REQUESTS "
				"PAUSE_US\n");
		return 2;
	}
	s.latency_ns = calloc(s.n_requests, sizeof(*s.latency_ns));
	for (size_t i = 0; i < s.n_clients; i++) {
		s.fds[i].fd = stores_connect((uint16_t)work_number(argv[2]));
		s.fds[i].events = POLLIN;
		if (s.fds[i].fd < 0 || !s.latency_ns) {
			fprintf(stderr, "stores: no connection to port %s\n", argv[2]);
			return 1;
		}
	}
	stores_run(&s);
	free(s.latency_ns);
	return s.n_answered == s.n_requests && !s.n_bad ? 0 : 1;
}
