/* SPDX-License-Identifier: MIT */
/*
 * false_sharing - threads that each increment their own counter
 *
 *   lab-false-sharing packed|padded|alone THREADS ROUNDS
 *
 * 'packed' is the defect: the counters of all threads are adjacent in one cache line, which the
 * CPUs take from each other in each round. 'padded' is the fix: each counter has its own cache
 * line. 'alone' does the same work in one thread, which shows the cost of a round without other
 * threads.
 */
#include "lib/work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES  64u
#define THREADS_MAX 8u

struct counters {
	/* thread i uses values[i * stride], where stride is 1 or the size of a cache line */
	_Alignas(LINE_BYTES) _Atomic uint64_t values[THREADS_MAX * LINE_BYTES / sizeof(uint64_t)];
};

struct counting {
	_Atomic uint64_t *mine;
	uint64_t rounds;
	pthread_t thread;
};

static __attribute__((noinline)) void counter_add(_Atomic uint64_t *mine, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		atomic_fetch_add_explicit(mine, 1, memory_order_relaxed);
}

static void *counting_main(void *arg)
{
	struct counting *c = arg;

	counter_add(c->mine, c->rounds);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct counters counters;
	struct counting counting[THREADS_MAX];
	uint64_t threads = argc == 4 ? work_number(argv[2]) : 0;
	uint64_t stride = 1;
	uint64_t sum = 0;
	uint64_t rounds;

	if (threads == 0 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: lab-false-sharing packed|padded|alone THREADS ROUNDS\n");
		return 2;
	}
	if (strcmp(argv[1], "padded") == 0)
		stride = LINE_BYTES / sizeof(uint64_t);
	if (strcmp(argv[1], "alone") == 0)
		threads = 1;
	rounds = work_number(argv[3]) / threads;
	for (size_t i = 0; i < threads; i++) {
		counting[i].mine = &counters.values[i * stride];
		counting[i].rounds = rounds;
		if (pthread_create(&counting[i].thread, NULL, counting_main, &counting[i]))
			return 1;
	}
	for (size_t i = 0; i < threads; i++) {
		pthread_join(counting[i].thread, NULL);
		sum += counters.values[i * stride];
	}
	work_print("rounds", sum);
	work_print_cost();
	return sum == rounds * threads ? 0 : 1;
}
