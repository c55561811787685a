/* SPDX-License-Identifier: MIT */
/*
 * tally - add up the records of a file, which have RECORD bytes each
 *
 *   tally record|block FILE SECONDS
 *
 * 'record': one record per read. 'block': BLOCK bytes per read.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define RECORD 16u
#define BLOCK  (RECORD * 8192u)

static uint64_t tally_file(const char *path, size_t size)
{
	static unsigned char block[BLOCK];
	uint64_t sum = 0;
	ssize_t got;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return 0;
	while ((got = read(fd, block, size)) > 0) {
		for (ssize_t i = 0; i < got; i += RECORD)
			sum += block[i];
	}
	close(fd);
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0, end_ns;

	if (argc != 4)
		return 2;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[3]) * 1000000000u;
	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns)
		sum += tally_file(argv[2], strcmp(argv[1], "record") == 0 ? RECORD : BLOCK);
	work_print("sum", sum);
	return 0;
}
