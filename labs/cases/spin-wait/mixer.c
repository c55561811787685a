/* SPDX-License-Identifier: MIT */
/*
 * mixer - one thread prepares blocks of sound, another one mixes them
 *
 *   mixer look|sleep SECONDS
 *
 * 'look': the mixing thread tests in a loop whether a block is ready. 'sleep': it waits on a
 * condition variable.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static atomic_uint n_ready;
static atomic_bool is_over;
static bool sleeps;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t mixed;

static __attribute__((noinline)) void block_next(unsigned number)
{
	if (sleeps) {
		pthread_mutex_lock(&mutex);
		while (atomic_load(&n_ready) < number && !atomic_load(&is_over))
			pthread_cond_wait(&changed, &mutex);
		pthread_mutex_unlock(&mutex);
		return;
	}
	while (atomic_load(&n_ready) < number && !atomic_load(&is_over))
		;
}

static __attribute__((noinline)) void block_mix(unsigned number)
{
	for (unsigned i = 0; i < 20000; i++)
		mixed += (uint64_t)number * i ^ mixed >> 7;
}

static void *mixer_main(void *arg)
{
	(void)arg;
	for (unsigned number = 1; !atomic_load(&is_over); number++) {
		block_next(number);
		block_mix(number);
	}
	return NULL;
}

static void block_ready(void)
{
	pthread_mutex_lock(&mutex);
	atomic_fetch_add(&n_ready, 1);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	pthread_t mixer;
	uint64_t end_ns;

	if (argc != 3)
		return 2;
	sleeps = strcmp(argv[1], "sleep") == 0;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	pthread_create(&mixer, NULL, mixer_main, NULL);
	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns) {
		usleep(5000); /* time until the sound device has the next block */
		block_ready();
	}
	atomic_store(&is_over, true);
	block_ready();
	pthread_join(mixer, NULL);
	work_print("mixed", mixed & 1);
	work_print_cost();
	return 0;
}
