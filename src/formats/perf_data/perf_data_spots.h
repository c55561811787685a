/* SPDX-License-Identifier: MIT */
/*
 * perf_data_spots.h - weights by sampled instruction, and the code of the hottest functions
 *
 * A spot is a sampled address in a function of a file. Samples with equal stacks are added up
 * (perf_data_rows.h). If spots are requested, each such sum has samples of only one spot. So the
 * spot is looked up once for each call chain. Only samples that are not added up need a look-up
 * each. After all samples, the functions with the largest shares are disassembled from the files
 * that ran. The result is capture.instructions.
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
	/* spots; element 0 stands for samples outside of known functions */
	VEC(struct resolver_code) codes;
	/*
	 * only with read_options.with_code_rows: for each element of `codes`, its row in the
	 * listing of the current event (see samples.code_row)
	 */
	VEC(uint32_t) rows;
	size_t n_bytes; /* size of all code that was disassembled, in bytes */
	/*
	 * number of failed look-ups: the address was new, but `index` already had LIMIT_SPOTS
	 * addresses
	 */
	uint64_t past;
	struct source_files *sources; /* source files; NULL: source lines are not requested */
	/* number of rows whose source file changed after the program was built */
	uint64_t changed;
};

void perf_spots_fini(struct perf_reader *r);
/*
 * Index in r->spots.codes of the spot of a sample at address @ip in process @pid. @state: hash of
 * the maps of the process. 0: no function of a file is at @ip, or spots are not requested. Cost:
 * one look-up if the address occurred before.
 */
uint32_t perf_spot_of(struct perf_reader *r, uint32_t pid, enum cpumode mode, uint64_t ip,
		      uint64_t state);
/* After all samples: add the code of the hottest functions to the captures of their events. */
void perf_spots_finish(struct perf_reader *r);

#endif
