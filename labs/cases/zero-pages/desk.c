/* SPDX-License-Identifier: MIT */
/*
 * desk - each request gets an area of its own, of which it uses 4 kB
 *
 *   desk fresh|kept SECONDS
 *
 * 'fresh': map an area with huge pages for each request. 'kept': keep one.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "work.h"

#define AREA (UINT64_C(4) << 20)
#define HUGE (UINT64_C(2) << 20)

static char *area_new(void)
{
	char *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		exit(1);
	madvise(area, AREA, MADV_HUGEPAGE);
	return area;
}

static __attribute__((noinline)) uint64_t request_serve(char *area, uint64_t number)
{
	char *at = (char *)(((uintptr_t)area + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
	uint64_t sum = 0;

	memset(at, (int)(number & 0x7f), 4096);
	for (int i = 0; i < 4096; i += 8)
		sum = sum * 31 + (uint64_t)at[i];
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t end_ns, n = 0, sum = 0;
	char *area;
	bool keeps;

	if (argc != 3)
		return 2;
	keeps = strcmp(argv[1], "kept") == 0;
	area = area_new();
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
		if (!keeps) {
			munmap(area, AREA);
			area = area_new();
		}
		sum += request_serve(area, n);
	}
	work_print("served", n);
	work_print("sum", sum & 1);
	return 0;
}
