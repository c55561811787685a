/* SPDX-License-Identifier: MIT */
/*
 * maps - fetch parts of a map past the page cache, or through it where that fails
 *
 *   maps any|aligned FILE SECONDS
 *
 * 'any': the buffer begins after a header, so it is not aligned to the block size.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define PART    65536
#define N_PARTS 512
#define HEADER  16

static __attribute__((noinline)) bool part_fetch(int direct, int plain, char *to, unsigned part)
{
	if (pread(direct, to, PART, (off_t)part * PART) == PART)
		return true;
	return pread(plain, to, PART, (off_t)part * PART) == PART;
}

int main(int argc, char **argv)
{
	uint64_t end_ns, sum = 0, n = 0;
	char *area = NULL, *to;
	int direct, plain;

	if (argc != 4 || posix_memalign((void **)&area, 4096, PART + 4096))
		return 2;
	plain = open(argv[2], O_RDWR | O_CREAT, 0600);
	memset(area, 5, PART);
	for (unsigned i = 0; i < N_PARTS; i++) {
		if (pwrite(plain, area, PART, (off_t)i * PART) != PART)
			return 1;
	}
	fsync(plain);
	direct = open(argv[2], O_RDONLY | O_DIRECT);
	if (direct < 0)
		return 1;
	to = strcmp(argv[1], "any") == 0 ? area + HEADER : area;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[3]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns && n < 3000; n++) {
		if (!part_fetch(direct, plain, to, (unsigned)(n * 7 % N_PARTS)))
			return 1;
		sum += (unsigned char)to[n % PART];
	}
	work_print("parts", n);
	work_print("sum", sum);
	return 0;
}
