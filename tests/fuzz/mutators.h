/* SPDX-License-Identifier: MIT */
/*
 * mutators.h - damage that keeps the structure of a format
 *
 * Random byte changes rarely get past the first check of a format with lengths. These mutators
 * change one part and correct the lengths around it: records of perf.data, sections of trace.dat,
 * fields of protobuf, lines and numbers of text.
 */
#ifndef FUZZ_MUTATORS_H
#define FUZZ_MUTATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mutation {
	uint8_t *data;
	size_t len;
	size_t room;
	uint64_t random; /* state of the random number generator */
};

/* A number below @below; 0: any 64-bit number. */
uint64_t mutation_random(struct mutation *m, uint64_t below);
/* One change that fits the detected format. False: unknown format. */
bool mutation_step(struct mutation *m);

#endif
