/* SPDX-License-Identifier: MIT */
/*
 * archive - read a file from start to end, 4 kB at a time, a part each 20 ms
 *
 *   archive random|sequential FILE SECONDS
 *
 * 'random': tell the kernel that reads are at random. 'sequential': that they are in order.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define BLOCK   4096u
#define N_PARTS 64u
#define PART    (UINT64_C(512) << 10)

static char buffer[PART];

static void archive_write(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	memset(buffer, 7, sizeof(buffer));
	for (unsigned i = 0; i < N_PARTS; i++) {
		if (write(fd, buffer, sizeof(buffer)) < 0)
			exit(1);
	}
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

static __attribute__((noinline)) uint64_t archive_read(int fd, uint64_t part)
{
	uint64_t sum = 0;

	for (uint64_t at = 0; at < PART; at += BLOCK) {
		if (pread(fd, buffer, BLOCK, (off_t)(part * PART + at)) != BLOCK)
			exit(1);
		sum += (uint64_t)buffer[at % BLOCK];
	}
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t end_ns, n = 0, sum = 0;
	int fd;

	if (argc != 4)
		return 2;
	archive_write(argv[2]);
	fd = open(argv[2], O_RDONLY);
	if (fd < 0)
		return 1;
	posix_fadvise(fd, 0, 0,
		      strcmp(argv[1], "random") == 0 ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[3]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
		sum += archive_read(fd, n % N_PARTS);
		/* what was read will not be read again */
		posix_fadvise(fd, (off_t)(n % N_PARTS * PART), (off_t)PART, POSIX_FADV_DONTNEED);
		usleep(20000);
	}
	work_print("parts", n);
	work_print("sum", sum & 1);
	return 0;
}
