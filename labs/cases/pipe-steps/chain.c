/* SPDX-License-Identifier: MIT */
/*
 * chain - one process writes numbers to a pipe, and another one filters them
 *
 *   chain value|block SECONDS
 *
 * 'value': one number per write. 'block': BLOCK numbers per write.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define BLOCK 4096

static int to_filter[2], from_filter[2];

/* The next value of a filter with feedback: each step needs the one before. */
static uint32_t value_smooth(uint32_t state, uint32_t value)
{
	for (int step = 0; step < 40; step++)
		state = state * 5 / 8 + (value >> (step & 7));
	return state;
}

static __attribute__((noinline)) void values_filter(size_t size)
{
	uint32_t values[BLOCK], state = 0;
	ssize_t got;

	while ((got = read(to_filter[0], values, size)) > 0) {
		for (size_t i = 0; i < (size_t)got / sizeof(*values); i++)
			values[i] = state = value_smooth(state, values[i]);
		if (write(from_filter[1], values, (size_t)got) != got)
			_exit(1);
	}
	_exit(0);
}

static __attribute__((noinline)) uint64_t values_pass(uint32_t first, size_t size)
{
	uint32_t values[BLOCK];
	size_t at = 0;
	ssize_t got = 1;

	for (uint32_t i = 0; i < size / sizeof(*values); i++)
		values[i] = first + i;
	if (write(to_filter[1], values, size) != (ssize_t)size)
		exit(1);
	for (; at < size && got > 0; at += (size_t)got)
		got = read(from_filter[0], (char *)values + at, size - at);
	return values[0];
}

int main(int argc, char **argv)
{
	uint64_t end_ns, n = 0, sum = 0;
	size_t size;

	if (argc != 3 || pipe(to_filter) || pipe(from_filter))
		return 2;
	size = strcmp(argv[1], "value") == 0 ? sizeof(uint32_t) : BLOCK * sizeof(uint32_t);
	if (fork() == 0) {
		close(to_filter[1]);
		values_filter(size);
	}
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n += size / sizeof(uint32_t))
		sum += values_pass((uint32_t)n, size);
	close(to_filter[1]);
	wait(NULL);
	work_print("passed", n);
	work_print("sum", sum & 1);
	return 0;
}
