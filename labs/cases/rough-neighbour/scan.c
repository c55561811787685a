/* SPDX-License-Identifier: MIT */
/*
 * scan - a scan of pages; a neighbour with nice -15 computes on the same CPU
 *
 *   scan below|above SECONDS
 *
 * 'below': the scan has the usual priority. 'above': one that comes before the neighbour's.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "work.h"

static __attribute__((noinline)) uint64_t page_scan(uint64_t seed)
{
	for (int i = 0; i < 2000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

static void neighbour_main(void)
{
	volatile uint64_t n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, -15);
	for (;;)
		n++;
}

int main(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 1 };
	uint64_t end_ns, sum = 1, n = 0;
	cpu_set_t cpu;
	pid_t neighbour;

	if (argc != 3)
		return 2;
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		return 1;
	neighbour = fork();
	if (neighbour == 0)
		neighbour_main();
	if (strcmp(argv[1], "above") == 0 && sched_setscheduler(0, SCHED_RR, &param))
		return 1;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	/* a page each millisecond, so that the neighbour has time left in both variants */
	for (; work_clock_ns(CLOCK_MONOTONIC) < end_ns; n++) {
		for (int i = 0; i < 100; i++)
			sum = page_scan(sum);
		usleep(500);
	}
	kill(neighbour, SIGKILL);
	work_print("pages", n);
	work_print("sum", sum & 1);
	return 0;
}
