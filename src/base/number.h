/* SPDX-License-Identifier: MIT */
/*
 * number.h - arithmetic that cannot wrap
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

/* Saturating sum: UINT64_MAX on overflow. */
static inline uint64_t number_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
