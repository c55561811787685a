/* SPDX-License-Identifier: MIT */
/*
 * work.h - shared by all lab programs: parse arguments, print results
 *
 * A lab program prints its results as lines "name value", which labs/lib/lab.py reads.
 */
#ifndef LABS_LIB_WORK_H
#define LABS_LIB_WORK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Parse the number in @text; 0: not a number. */
static inline uint64_t work_number(const char *text)
{
	char *end = NULL;
	unsigned long long n = strtoull(text, &end, 10);

	return end == text || *end != '\0' ? 0 : (uint64_t)n;
}

static inline uint64_t work_clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void work_print(const char *name, uint64_t value)
{
	printf("%s %" PRIu64 "\n", name, value);
}

/* Print the CPU time of the whole process so far, user and system together. */
static inline void work_print_cost(void)
{
	work_print("cpu_ns", work_clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

#endif
