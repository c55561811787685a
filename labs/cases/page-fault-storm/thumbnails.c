/* SPDX-License-Identifier: MIT */
/*
 * thumbnails - worker threads that shrink large pictures
 *
 *   thumbnails each|kept SECONDS
 *
 * 'each': allocate a buffer for each picture. 'kept': each thread keeps one buffer.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WIDTH     4000u
#define HEIGHT    3000u
#define N_WORKERS 2

struct worker {
	pthread_t thread;
	bool keeps; /* 'kept': the thread uses one buffer for all its pictures */
	double until;
	uint64_t n_done;
	uint32_t sum;
};

static double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static __attribute__((noinline)) void picture_decode(uint32_t *pixels, uint32_t seed)
{
	for (uint32_t y = 0; y < HEIGHT; y += 2) {
		uint32_t *row = &pixels[y * WIDTH];

		for (uint32_t x = 0; x < WIDTH; x += 16)
			row[x] = seed + y * x;
	}
}

static __attribute__((noinline)) uint32_t picture_shrink(const uint32_t *pixels)
{
	uint32_t sum = 0;

	for (uint32_t y = 0; y < HEIGHT; y += 8) {
		for (uint32_t x = 0; x < WIDTH; x += 16)
			sum += pixels[y * WIDTH + x];
	}
	return sum;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	uint32_t *pixels = w->keeps ? calloc(WIDTH * HEIGHT, sizeof(*pixels)) : NULL;

	while (clock_now() < w->until) {
		if (!w->keeps)
			pixels = calloc(WIDTH * HEIGHT, sizeof(*pixels));
		if (!pixels)
			return NULL;
		picture_decode(pixels, (uint32_t)w->n_done);
		w->sum += picture_shrink(pixels);
		w->n_done++;
		if (!w->keeps)
			free(pixels);
	}
	if (w->keeps)
		free(pixels);
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[N_WORKERS] = { 0 };
	uint64_t n_done = 0;

	if (argc != 3)
		return 2;
	for (int i = 0; i < N_WORKERS; i++) {
		workers[i].keeps = strcmp(argv[1], "kept") == 0;
		workers[i].until = clock_now() + atof(argv[2]);
		pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
	}
	for (int i = 0; i < N_WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		n_done += workers[i].n_done;
	}
	printf("done %lu\n", (unsigned long)n_done);
	return 0;
}
