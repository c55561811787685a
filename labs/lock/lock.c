/* SPDX-License-Identifier: MIT */
/*
 * lock - threads that count events in a hash table
 *
 *   lab-lock shared|own THREADS EVENTS
 *
 * 'shared' is the defect: all threads use one table and its mutex, which they lock for each event.
 * 'own' is the fix: each thread has its own table, and the tables are added up at the end. Both
 * count the same events and print the same sum.
 */
#include "lib/work.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SLOTS 64u
#define THREADS_MAX 64u

struct table {
	uint64_t counts[TABLE_SLOTS];
	uint64_t latest;
};

struct lock_run {
	pthread_mutex_t lock;
	struct table shared;
	uint64_t events; /* number of events per thread */
	bool is_shared;
};

struct counter {
	struct lock_run *run;
	struct table own;
	pthread_t thread;
	uint64_t seed;
};

/* Make the key of an event, a pseudo-random number. */
static uint64_t event_make(uint64_t *seed)
{
	uint64_t x = *seed;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*seed = x;
	return x;
}

static __attribute__((noinline)) void table_count(struct table *t, uint64_t event)
{
	t->counts[event % TABLE_SLOTS]++;
	t->latest = event;
}

static __attribute__((noinline)) void count_shared(struct counter *c)
{
	for (uint64_t i = 0; i < c->run->events; i++) {
		uint64_t event = event_make(&c->seed);

		pthread_mutex_lock(&c->run->lock);
		table_count(&c->run->shared, event);
		pthread_mutex_unlock(&c->run->lock);
	}
}

static __attribute__((noinline)) void count_own(struct counter *c)
{
	for (uint64_t i = 0; i < c->run->events; i++)
		table_count(&c->own, event_make(&c->seed));
	pthread_mutex_lock(&c->run->lock);
	for (size_t i = 0; i < TABLE_SLOTS; i++)
		c->run->shared.counts[i] += c->own.counts[i];
	pthread_mutex_unlock(&c->run->lock);
}

static void *counter_main(void *arg)
{
	struct counter *c = arg;

	if (c->run->is_shared)
		count_shared(c);
	else
		count_own(c);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct counter counters[THREADS_MAX];
	struct lock_run run = { .lock = PTHREAD_MUTEX_INITIALIZER };
	uint64_t threads = argc == 4 ? work_number(argv[2]) : 0;
	uint64_t sum = 0;

	if (threads == 0 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: lab-lock shared|own THREADS EVENTS\n");
		return 2;
	}
	run.is_shared = strcmp(argv[1], "shared") == 0;
	run.events = work_number(argv[3]) / threads;
	for (size_t i = 0; i < threads; i++) {
		counters[i].run = &run;
		counters[i].seed = 0x9e3779b97f4a7c15u + i;
		if (pthread_create(&counters[i].thread, NULL, counter_main, &counters[i]))
			return 1;
	}
	for (size_t i = 0; i < threads; i++)
		pthread_join(counters[i].thread, NULL);
	for (size_t i = 0; i < TABLE_SLOTS; i++)
		sum += run.shared.counts[i];
	work_print("events", sum);
	work_print_cost();
	return sum == run.events * threads ? 0 : 1;
}
