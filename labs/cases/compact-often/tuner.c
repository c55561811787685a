/* SPDX-License-Identifier: MIT */
/*
 * tuner - a service with large buffers, which wants them in huge pages
 *
 *   tuner request|start SECONDS
 *
 * 'request': all memory of the machine is compacted before each request. 'start': once.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define BUFFER (1u << 20)

static __attribute__((noinline)) void memory_tidy(void)
{
	int fd = open("/proc/sys/vm/compact_memory", O_WRONLY);

	if (fd < 0 || write(fd, "1", 1) != 1)
		exit(1);
	close(fd);
}

static __attribute__((noinline)) uint64_t request_serve(unsigned char *buffer, uint64_t n)
{
	uint64_t sum = 0;

	memset(buffer, (int)n, BUFFER);
	for (unsigned i = 0; i < BUFFER; i += 7)
		sum += buffer[i];
	return sum;
}

int main(int argc, char **argv)
{
	unsigned char *buffer = malloc(BUFFER);
	uint64_t end_ns, n = 0, sum = 0;

	if (argc != 3 || !buffer)
		return 2;
	memory_tidy();
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
		if (strcmp(argv[1], "request") == 0)
			memory_tidy();
		sum += request_serve(buffer, n);
	}
	work_print("served", n);
	work_print("sum", sum & 1);
	return 0;
}
