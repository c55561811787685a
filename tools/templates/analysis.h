/* SPDX-License-Identifier: MIT */
/* @SNAKE@.h - describe the input, the result and the reason here */
#ifndef ANALYSES_@UPPER@_H
#define ANALYSES_@UPPER@_H

#include <stdint.h>

struct capture;

struct @SNAKE@ {
	uint64_t samples; /* of the profile; 0: no profile */
};

/* Compute @ret of a capture of any kind. Cost: O(samples). */
void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret);

#endif
