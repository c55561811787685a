/* SPDX-License-Identifier: MIT */
/*
 * gate - forty processes accept short connections on one port
 *
 *   gate all|one SECONDS
 *
 * 'all': each connection wakes all processes. 'one': it wakes one process.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define N_SERVERS 40

static int gate_listen(struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (fd < 0 || bind(fd, (struct sockaddr *)at, sizeof(*at)) || listen(fd, 128) ||
	    getsockname(fd, (struct sockaddr *)at, &size))
		exit(1);
	return fd;
}

static __attribute__((noinline)) void visitor_serve(int fd)
{
	char request[64];

	if (read(fd, request, sizeof(request)) > 0 && write(fd, "welcome\n", 8) < 0)
		_exit(1);
	close(fd);
}

static __attribute__((noinline)) void server_main(int fd, uint32_t flags)
{
	struct epoll_event event = { .events = EPOLLIN | flags };
	int loop = epoll_create1(0);

	epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
	for (;;) {
		int visitor;

		if (epoll_wait(loop, &event, 1, -1) != 1)
			continue;
		visitor = accept4(fd, NULL, NULL, 0);
		if (visitor >= 0)
			visitor_serve(visitor);
	}
}

static void visit(const struct sockaddr_in *at)
{
	char answer[64];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 &&
	    write(fd, "hello\n", 6) == 6)
		(void)!read(fd, answer, sizeof(answer));
	close(fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at;
	pid_t servers[N_SERVERS];
	uint64_t end_ns, n = 0;
	uint32_t flags;
	int fd;

	if (argc != 3)
		return 2;
	flags = strcmp(argv[1], "one") == 0 ? EPOLLEXCLUSIVE : 0;
	fd = gate_listen(&at);
	for (int i = 0; i < N_SERVERS; i++) {
		servers[i] = fork();
		if (servers[i] == 0)
			server_main(fd, flags);
	}
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
		visit(&at);
		usleep(300);
	}
	for (int i = 0; i < N_SERVERS; i++)
		kill(servers[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	work_print("visits", n);
	return 0;
}
