/* SPDX-License-Identifier: MIT */
/*
 * letter - append lines to the text of a mail
 *
 *   letter simple|position SECONDS
 *
 * 'simple': strcat(). 'position': remember where the text ends.
 */
#include <string.h>

#include "work.h"

#define SIZE 400000u

static char body[SIZE];

static __attribute__((noinline)) size_t letter_write(bool keeps)
{
	char line[64];
	size_t at = 0;

	body[0] = '\0';
	for (unsigned i = 0; i < 8000; i++) {
		int n = snprintf(line, sizeof(line), "%u piece of amber, polished\n", i);

		if (keeps) {
			memcpy(body + at, line, (size_t)n + 1);
			at += (size_t)n;
		} else {
			strcat(body, line);
		}
	}
	return keeps ? at : strlen(body);
}

int main(int argc, char **argv)
{
	uint64_t end_ns, n = 0, size = 0;

	if (argc != 3)
		return 2;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++)
		size += letter_write(strcmp(argv[1], "position") == 0);
	work_print("letters", n);
	work_print("size", size);
	return 0;
}
