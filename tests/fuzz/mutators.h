/* SPDX-License-Identifier: MIT */
/*
 * mutators.h - damage that keeps the outline of a format
 *
 * Bytes changed at random rarely get past the first check of a format that says how
 * long its parts are. These change one part and put the lengths around it right:
 * records of perf.data and trace.dat's sections, fields of protobuf, lines and
 * numbers of text.
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
	uint64_t random; /* state of the generator */
};

/* A number below @below; 0: of 64 bits. */
uint64_t mutation_random(struct mutation *m, uint64_t below);
/* One change that fits what the bytes look like. False: they look like nothing known. */
bool mutation_step(struct mutation *m);

#endif
