/* SPDX-License-Identifier: MIT */
/* number.h - arithmetic without overflow, and powers of ten */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <math.h>
#include <stdint.h>

/* The sum, or UINT64_MAX if it is too large. */
static inline uint64_t number_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The integer part of @x; 0 if @x is negative or not a number, UINT64_MAX if @x is too large. */
static inline uint64_t number_whole(double x)
{
	if (!(x > 0))
		return 0;
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

/* 10 to the power @n. Powers from -22 to 22 are read from a table. */
static inline double number_pow10(int n)
{
	static const double up[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	static const double down[] = { 1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
				       1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15,
				       1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22 };

	if (n >= 0 && n < (int)(sizeof(up) / sizeof(up[0])))
		return up[n];
	return n < 0 && n > -(int)(sizeof(down) / sizeof(down[0])) ? down[-n] : pow(10, n);
}

#endif
