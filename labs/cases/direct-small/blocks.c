/* SPDX-License-Identifier: MIT */
/*
 * blocks - check the pages of a database file by direct I/O, without the page cache
 *
 *   blocks page|run FILE SECONDS
 *
 * N_SECOND pages a second are to be checked. 'page': one page per read. 'run': 256 pages per read.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define PAGE    4096u
#define N_PAGES 16384u
#define RUN     256u
/* pages that are to be checked in a second */
#define N_SECOND 12000u

static uint64_t n_fetched;

/* Rest if more than @n pages were checked since @begin_ns, at N_SECOND a second. */
static void checks_pace(uint64_t begin_ns, uint64_t n)
{
	uint64_t due_ns = begin_ns + n * (1000000000u / N_SECOND);
	uint64_t now_ns = work_clock_ns(CLOCK_MONOTONIC);

	if (now_ns + 1000000u < due_ns)
		usleep((unsigned int)((due_ns - now_ns) / 1000));
}

static __attribute__((noinline)) uint64_t page_check(const unsigned char *page)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PAGE; i += 8)
		sum = sum * 31 + page[i];
	return sum;
}

static __attribute__((noinline)) ssize_t pages_fetch(int fd, unsigned char *to, unsigned first,
						     unsigned n)
{
	ssize_t got = pread(fd, to, (size_t)n * PAGE, (off_t)first * PAGE);

	n_fetched += got > 0;
	return got;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0, n_checked = 0, begin_ns, end_ns;
	unsigned char *buffer = NULL;
	unsigned n;
	int fd;

	if (argc != 4 || posix_memalign((void **)&buffer, PAGE, PAGE * RUN))
		return 2;
	n = strcmp(argv[1], "page") == 0 ? 1 : RUN;
	fd = open(argv[2], O_RDWR | O_CREAT, 0600);
	memset(buffer, 7, PAGE * RUN);
	for (unsigned i = 0; i < N_PAGES; i += RUN) {
		if (pwrite(fd, buffer, PAGE * RUN, (off_t)i * PAGE) < 0)
			return 1;
	}
	fsync(fd);
	close(fd);
	fd = open(argv[2], O_RDONLY | O_DIRECT);
	if (fd < 0)
		return 1;
	begin_ns = work_clock_ns(CLOCK_MONOTONIC);
	end_ns = begin_ns + work_number(argv[3]) * 1000000000u;
	for (unsigned at = 0; work_clock_ns(CLOCK_MONOTONIC) < end_ns; at = (at + n) % N_PAGES) {
		if (pages_fetch(fd, buffer, at, n) != (ssize_t)n * PAGE)
			return 1;
		for (unsigned i = 0; i < n; i++)
			sum += page_check(buffer + i * PAGE);
		n_checked += n;
		checks_pace(begin_ns, n_checked);
	}
	work_print("checked", n_checked);
	work_print("fetched", n_fetched);
	work_print("sum", sum & 1);
	return 0;
}
