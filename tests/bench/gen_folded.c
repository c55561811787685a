/* SPDX-License-Identifier: MIT */
/*
 * gen_folded BYTES[k|m|g] [SEED] [unsorted] > FILE: folded stacks, about that size
 *
 * Sorted, as stackcollapse-*.pl write them (in batches of 200000 lines), or in the order of the
 * walks, as async-profiler writes them.
 */
#include "gen.h"

#include <stdbool.h>

#define BATCH 200000u

static int gen_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 1 ? gen_number(argv[1]) : 1 << 20;
	uint64_t state = argc > 2 ? gen_number(argv[2]) : 1;
	bool is_sorted = argc < 4;
	char **lines = calloc(BATCH, sizeof(*lines));
	uint64_t done = 0;

	while (lines && done < bytes) {
		uint32_t n_lines = 0;

		while (n_lines < BATCH && done < bytes) {
			static char text[16384];
			struct gen_frame frames[GEN_DEPTH];
			uint32_t comm = gen_skewed(&state, GEN_COMMS);
			uint32_t n = gen_walk(&state, comm, frames);
			size_t len = (size_t)gen_comm(text, 32, comm);

			for (uint32_t i = 0; i < n; i++) {
				text[len++] = ';';
				len += (size_t)gen_name(text + len, 160, frames[i].function);
			}
			/* most stacks of a file differ, so most get a leaf of their own */
			text[len++] = ';';
			len += (size_t)gen_name(text + len, 160,
						(uint32_t)(gen_random(&state) % GEN_FUNCTIONS));
			len += (size_t)sprintf(text + len, " %u\n", 1 + gen_skewed(&state, 20000));
			done += len;
			lines[n_lines++] = strdup(text);
		}
		if (is_sorted)
			qsort(lines, n_lines, sizeof(*lines), gen_compare);
		for (uint32_t i = 0; i < n_lines; i++) {
			(void)fputs(lines[i], stdout);
			free(lines[i]);
		}
	}
	free(lines);
	return fflush(stdout) == 0 ? 0 : 1;
}
