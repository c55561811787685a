/* SPDX-License-Identifier: MIT */
/*
 * pacer - send the packets of several streams at given times
 *
 *   pacer tick|due SECONDS
 *
 * 'tick': check every 20 µs whether a packet is due. 'due': sleep until the next packet is due.
 */
#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "work.h"

#define N_STREAMS 8

static uint64_t due_ns[N_STREAMS];
static uint64_t n_sent;

static __attribute__((noinline)) uint64_t streams_next(uint64_t now)
{
	uint64_t next = UINT64_MAX;

	for (int i = 0; i < N_STREAMS; i++) {
		if (due_ns[i] <= now) {
			n_sent++;
			due_ns[i] = now + 20000000u;
		}
		if (due_ns[i] < next)
			next = due_ns[i];
	}
	return next;
}

static __attribute__((noinline)) void pace(int timer, uint64_t ns)
{
	struct itimerspec when = { .it_value = { (time_t)(ns / 1000000000u),
						 (long)(ns % 1000000000u) } };
	uint64_t n;

	timerfd_settime(timer, 0, &when, NULL);
	(void)!read(timer, &n, sizeof(n));
}

int main(int argc, char **argv)
{
	uint64_t now, end_ns;
	bool ticks;
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);

	if (argc != 3 || timer < 0)
		return 2;
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	ticks = strcmp(argv[1], "tick") == 0;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	while ((now = work_clock_ns(CLOCK_MONOTONIC)) < end_ns) {
		uint64_t next = streams_next(now);

		pace(timer, ticks ? 20000u : next - now + 1000);
	}
	work_print("sent", n_sent);
	work_print_cost();
	return 0;
}
