/* SPDX-License-Identifier: MIT */
/* @SNAKE@.h - describe the input, the result and the reason here */
#ifndef ANALYSES_@UPPER@_H
#define ANALYSES_@UPPER@_H

#include <stdint.h>

struct capture;

struct @SNAKE@ {
	uint64_t weight; /* of samples in named functions, see profile_sample_unit(); 0: none */
};

/*
 * Compute @ret of a capture of any kind. Printed rows do not count; top_compute() (top/top.h)
 * adds up rows and samples alike. Cost: O(samples).
 */
void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret);

#endif
