/* SPDX-License-Identifier: MIT */
/*
 * meters - send the readings of meters over one connection
 *
 *   meters single|batch SECONDS
 *
 * 'single': a call for each reading. 'batch': a call for BATCH readings.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define BATCH 256

struct reading {
	uint32_t meter, value;
	uint64_t time;
};

static void office_main(int listener)
{
	static char data[65536];
	int fd = accept(listener, NULL, NULL);

	while (recv(fd, data, sizeof(data), 0) > 0)
		;
	_exit(0);
}

static __attribute__((noinline)) void reading_send(int fd, const struct reading *readings, size_t n)
{
	if (send(fd, readings, n * sizeof(*readings), 0) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct reading readings[BATCH];
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd, one = 1;
	socklen_t size = sizeof(at);
	uint64_t end_ns, n = 0;
	unsigned filled = 0, batch;

	if (argc != 3 || bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(listener, 1) || getsockname(listener, (struct sockaddr *)&at, &size))
		return 2;
	if (fork() == 0)
		office_main(listener);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		return 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	batch = strcmp(argv[1], "single") == 0 ? 1 : BATCH;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns && n < 2000000; n++) {
		readings[filled++] = (struct reading){ (uint32_t)(n % 500), (uint32_t)n, end_ns };
		if (filled == batch) {
			reading_send(fd, readings, filled);
			filled = 0;
		}
	}
	close(fd);
	wait(NULL);
	work_print("readings", n);
	return 0;
}
