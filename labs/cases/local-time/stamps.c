/* SPDX-License-Identifier: MIT */
/*
 * stamps - write lines that begin with the local time
 *
 *   stamps line|second SECONDS
 *
 * 'line': format the time for each line. 'second': format it again only if the second has
 * changed.
 */
#include <string.h>

#include "work.h"

static __attribute__((noinline)) void line_stamp(char *to, size_t size, time_t now)
{
	strftime(to, size, "%Y-%m-%d %H:%M:%S", localtime(&now));
}

int main(int argc, char **argv)
{
	char stamp[64] = "";
	uint64_t end_ns, n = 0;
	time_t last = 0;
	FILE *out = fopen("lines.txt", "w");

	if (argc != 3 || !out)
		return 2;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns && n < 2000000; n++) {
		time_t now = time(NULL);

		if (strcmp(argv[1], "line") == 0 || now != last)
			line_stamp(stamp, sizeof(stamp), now);
		last = now;
		fprintf(out, "%s line %lu\n", stamp, (unsigned long)n);
	}
	fclose(out);
	work_print("lines", n);
	return 0;
}
