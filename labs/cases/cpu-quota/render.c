/* SPDX-License-Identifier: MIT */
/*
 * render - draw a tile for each request, with 8 ms of CPU time; a request comes every 20 ms
 *
 *   render SECONDS
 */
#include <unistd.h>

#include "work.h"

static __attribute__((noinline)) uint64_t tile_render(uint64_t seed)
{
	uint64_t end_ns = work_clock_ns(CLOCK_THREAD_CPUTIME_ID) + 8000000u;

	while (work_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
		for (int i = 0; i < 20000; i++)
			seed = seed * 6364136223846793005u + 1442695040888963407u;
	}
	return seed;
}

int main(int argc, char **argv)
{
	uint64_t now, worst = 0, due, end_ns, sum = 0, n = 0;

	if (argc != 2)
		return 2;
	due = now = work_clock_ns(CLOCK_MONOTONIC);
	end_ns = now + work_number(argv[1]) * 1000000000u;
	for (; now < end_ns; n++) {
		sum += tile_render(n);
		now = work_clock_ns(CLOCK_MONOTONIC);
		if (now > due && now - due > worst)
			worst = now - due;
		due += 20000000u;
		if (due > now)
			usleep((useconds_t)((due - now) / 1000));
	}
	work_print("tiles", n);
	work_print("worst_ns", worst);
	work_print("sum", sum & 1);
	return 0;
}
