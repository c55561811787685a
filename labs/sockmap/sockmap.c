/* SPDX-License-Identifier: MIT */
/*
 * sockmap - exchange messages over local TCP connections
 *
 *   lab-sockmap tcp|redirect PAIRS MESSAGES BYTES [OBJECT]
 *
 * 'tcp': through the network stack. 'redirect': the BPF program in OBJECT moves messages from
 * socket to socket.
 */
#include "sockmap/sockmap.h"
#include "lib/work.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAIRS_MAX 64u
#define BYTES_MAX 65536u

struct pairs {
	int client[PAIRS_MAX], server[PAIRS_MAX];
	uint64_t n, exchanges, bytes;
	bool failed;
};

static int sockmap_fail(const char *what, int error)
{
	fprintf(stderr, "sockmap: %s: %s\n", what, strerror(error < 0 ? -error : error));
	return 1;
}

static __attribute__((format(printf, 2, 0))) int sockmap_quiet(enum libbpf_print_level level,
							       const char *format, va_list args)
{
	if (level > LIBBPF_WARN)
		return 0;
	return vfprintf(stderr, format, args);
}

static int sockmap_connect(struct pairs *p)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(SOCKMAP_PORT),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;

	(void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, (int)p->n))
		return sockmap_fail("listening", errno);
	for (uint64_t i = 0; i < p->n; i++) {
		p->client[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (p->client[i] < 0 ||
		    connect(p->client[i], (struct sockaddr *)&address, sizeof(address)))
			return sockmap_fail("connecting", errno);
		p->server[i] = accept(listener, NULL, NULL);
		if (p->server[i] < 0)
			return sockmap_fail("accepting", errno);
		(void)setsockopt(p->client[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		(void)setsockopt(p->server[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	close(listener);
	return 0;
}

/* Load the BPF program, attach it to its map, and insert both sockets of each pair into the map. */
static int sockmap_redirect(const struct pairs *p, const char *path)
{
	struct bpf_object *object;
	struct bpf_program *program;
	struct bpf_map *map;
	int r;

	libbpf_set_print(sockmap_quiet);
	object = bpf_object__open_file(path, NULL);
	if (!object)
		return sockmap_fail(path, ENOENT);
	r = bpf_object__load(object);
	program = bpf_object__find_program_by_name(object, "redirect");
	map = bpf_object__find_map_by_name(object, "sockets");
	if (r || !program || !map)
		return sockmap_fail("loading the program", r ? r : ENOENT);
	r = bpf_prog_attach(bpf_program__fd(program), bpf_map__fd(map), BPF_SK_MSG_VERDICT, 0);
	if (r)
		return sockmap_fail("attaching the program", r);
	for (uint64_t i = 0; i < p->n; i++) {
		struct sockaddr_in name = { 0 };
		socklen_t size = sizeof(name);
		uint64_t client = (uint64_t)p->client[i];
		uint64_t server = (uint64_t)p->server[i];
		uint32_t key;

		if (getsockname(p->client[i], (struct sockaddr *)&name, &size))
			return sockmap_fail("name of a socket", errno);
		key = ntohs(name.sin_port);
		r = bpf_map_update_elem(bpf_map__fd(map), &key, &server, BPF_ANY);
		key |= SOCKMAP_TO_CLIENT;
		if (!r)
			r = bpf_map_update_elem(bpf_map__fd(map), &key, &client, BPF_ANY);
		if (r)
			return sockmap_fail("putting a socket into the map", r);
	}
	return 0;
}

static bool sockmap_receive(int fd, char *buffer, uint64_t bytes)
{
	uint64_t n = 0;

	while (n < bytes) {
		ssize_t got = recv(fd, buffer + n, bytes - n, 0);

		if (got <= 0)
			return false;
		n += (uint64_t)got;
	}
	return true;
}

static void *sockmap_echo(void *arg)
{
	static char buffer[BYTES_MAX];
	struct pairs *p = arg;

	for (uint64_t i = 0; i < p->exchanges; i++) {
		int fd = p->server[i % p->n];

		if (!sockmap_receive(fd, buffer, p->bytes) ||
		    send(fd, buffer, p->bytes, MSG_NOSIGNAL) != (ssize_t)p->bytes) {
			p->failed = true;
			break;
		}
	}
	return NULL;
}

static bool sockmap_exchange(struct pairs *p)
{
	static char buffer[BYTES_MAX];

	for (uint64_t i = 0; i < p->exchanges; i++) {
		int fd = p->client[i % p->n];

		buffer[0] = (char)i;
		if (send(fd, buffer, p->bytes, MSG_NOSIGNAL) != (ssize_t)p->bytes ||
		    !sockmap_receive(fd, buffer, p->bytes) || buffer[0] != (char)i)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct pairs p;
	bool is_redirect = argc == 6 && strcmp(argv[1], "redirect") == 0;
	pthread_t echo;
	uint64_t begin_ns;
	uint64_t begin_cpu_ns;

	if (argc >= 5) {
		p.n = work_number(argv[2]);
		p.exchanges = work_number(argv[3]) / 2;
		p.bytes = work_number(argv[4]);
	}
	if ((!is_redirect && (argc != 5 || strcmp(argv[1], "tcp") != 0)) || p.n == 0 ||
	    p.n > PAIRS_MAX || p.exchanges == 0 || p.bytes == 0 || p.bytes > BYTES_MAX) {
		fprintf(stderr, "usage: lab-sockmap tcp PAIRS MESSAGES BYTES\n"
				"       lab-sockmap redirect PAIRS MESSAGES BYTES OBJECT\n");
		return 2;
	}
	if (sockmap_connect(&p) || (is_redirect && sockmap_redirect(&p, argv[5])))
		return 1;
	begin_ns = work_clock_ns(CLOCK_MONOTONIC);
	begin_cpu_ns = work_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (pthread_create(&echo, NULL, sockmap_echo, &p))
		return sockmap_fail("thread", errno);
	if (!sockmap_exchange(&p) || pthread_join(echo, NULL) || p.failed)
		return sockmap_fail("an exchange failed", EIO);
	work_print("messages", p.exchanges * 2);
	work_print("cpu_ns", work_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_ns);
	work_print("wall_ns", work_clock_ns(CLOCK_MONOTONIC) - begin_ns);
	return 0;
}
