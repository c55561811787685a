/* SPDX-License-Identifier: MIT */
/*
 * packets - threads classify packets, each with counters of its own
 *
 *   packets packed|aligned SECONDS
 *
 * 'packed': the counters of all threads are adjacent. 'aligned': the counters of each thread have
 * their own cache line.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_WORKERS 4
#define N_KINDS   2

struct counters {
	volatile uint64_t n_packets[N_KINDS];
};

struct worker {
	pthread_t thread;
	struct counters *counters;
	double until;
};

static double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static __attribute__((noinline)) void packets_classify(struct counters *c, uint32_t seed)
{
	for (uint32_t i = 0; i < 100000; i++) {
		seed = seed * 1664525u + 1013904223u;
		c->n_packets[seed >> 31]++;
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	uint32_t seed = 1;

	while (clock_now() < w->until)
		packets_classify(w->counters, seed++);
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[N_WORKERS] = { 0 };
	size_t apart = sizeof(struct counters);
	uint64_t n_packets = 0;
	char *all;

	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "aligned") == 0)
		apart = 256;
	all = aligned_alloc(4096, 4096);
	if (!all)
		return 1;
	memset(all, 0, 4096);
	for (int i = 0; i < N_WORKERS; i++) {
		workers[i].counters = (struct counters *)(all + (size_t)i * apart);
		workers[i].until = clock_now() + atof(argv[2]);
		pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
	}
	for (int i = 0; i < N_WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		n_packets += workers[i].counters->n_packets[0] + workers[i].counters->n_packets[1];
	}
	printf("packets %lu\n", (unsigned long)n_packets);
	free(all);
	return 0;
}
