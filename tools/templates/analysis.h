/* SPDX-License-Identifier: MIT */
/*
 * @SNAKE@.h - say here what is computed of what, and why so
 */
#ifndef ANALYSES_@UPPER@_H
#define ANALYSES_@UPPER@_H

#include <stdint.h>

struct capture;

struct @SNAKE@ {
	uint64_t samples; /* of the profile; 0 where it has none */
};

/* Compute @ret of a capture of any kind. Cost: O(samples). */
void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret);

#endif
