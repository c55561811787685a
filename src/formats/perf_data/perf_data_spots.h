/* SPDX-License-Identifier: MIT */
/*
 * perf_data_spots.h - weights by sampled instruction, and the code of the hottest functions
 *
 * A spot is a sampled address in a function of a file. The samples of a spot are added up where
 * samples of equal stacks are anyway (perf_data_rows.h): a sum is then of one stack and one spot,
 * so a sample costs nothing more, and only a new call chain looks up its spot. After all samples,
 * the functions with the largest shares are disassembled from the files that ran, and become
 * capture.instructions.
 */
#ifndef FORMATS_PERF_DATA_SPOTS_H
#define FORMATS_PERF_DATA_SPOTS_H

#include "base/slots.h"
#include "base/vec.h"
#include "symbols/resolver/resolver.h"

struct source_files;
struct perf_reader;

struct perf_spots {
	bool is_on;
	/* hash of address, mode and state of the maps -> index in `codes`, plus 1 */
	struct slots index;
	VEC(struct resolver_code) codes; /* element 0: samples that are in no known function */
	/*
	 * with read_options.with_code_rows: for each of `codes`, its row in the listing of the
	 * current event, as in samples.code_row
	 */
	VEC(uint32_t) rows;
	size_t n_bytes;               /* bytes of code that were disassembled */
	uint64_t past;                /* look-ups of new addresses after the limit was reached */
	struct source_files *sources; /* NULL: no lines of source are wanted */
	uint64_t changed; /* rows of source files that changed after the program was built */
};

void perf_spots_fini(struct perf_reader *r);
/*
 * Index in codes of the spot of a sample at @ip in @pid. @state: hash of the maps of the process.
 * 0: not in a function of a file, or not wanted. Cost: one look-up for an address seen before.
 */
uint32_t perf_spot_of(struct perf_reader *r, uint32_t pid, enum cpumode mode, uint64_t ip,
		      uint64_t state);
/* After all samples: add the code of the hottest functions to the captures of their events. */
void perf_spots_finish(struct perf_reader *r);

#endif
