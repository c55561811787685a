/* SPDX-License-Identifier: MIT */
/*
 * plots - threads draw small plots, each into its own block of memory (a sheet)
 *
 *   plots fresh|own SECONDS
 *
 * 'fresh': map a new sheet for each plot. 'own': each thread keeps one sheet.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "work.h"

#define N_THREADS 8
#define SHEET     (16u * 4096u)

static bool has_own_sheets;
static uint64_t end_ns;
static uint64_t n_drawn[N_THREADS * 16];

static unsigned char *sheet_new(void)
{
	void *sheet = mmap(NULL, SHEET, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return sheet == MAP_FAILED ? NULL : sheet;
}

static __attribute__((noinline)) void plot_draw(unsigned char *sheet, uint64_t seed)
{
	for (unsigned i = 0; i < SHEET; i += 4096)
		sheet[i] = (unsigned char)(seed + i);
}

static void *artist_main(void *arg)
{
	uint64_t *n = arg;
	unsigned char *sheet = sheet_new();

	while (work_clock_ns(CLOCK_MONOTONIC) < end_ns && sheet) {
		if (!has_own_sheets) {
			munmap(sheet, SHEET);
			sheet = sheet_new();
		}
		plot_draw(sheet, (*n)++);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t artists[N_THREADS];
	uint64_t n = 0;

	if (argc != 3)
		return 2;
	has_own_sheets = strcmp(argv[1], "own") == 0;
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&artists[i], NULL, artist_main, &n_drawn[i * 16]);
	for (int i = 0; i < N_THREADS; i++) {
		pthread_join(artists[i], NULL);
		n += n_drawn[i * 16];
	}
	work_print("drawn", n);
	return 0;
}
