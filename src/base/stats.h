/* SPDX-License-Identifier: MIT */
/*
 * stats.h - intervals that contain the true value of a count or percentage
 *
 * There are two kinds, never mixed. A *rounding* interval certainly contains the true value. A
 * *sampling* interval is a confidence interval of a proportion. The functions have no state.
 * Percentages are from 0 to 100.
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#define STATS_Z95 1.959963984540054 /* two-sided 95 % of the normal distribution */

struct interval {
	double low;
	double high;
};

/*
 * Wilson score interval of @k out of @n, in percent (k may be fractional).
 * n <= 0: 0 to 100. Source: E. B. Wilson, JASA 22 (1927) 209-212.
 */
struct interval stats_wilson(double k, double n, double z);
/* Smallest and largest count k for which 100 k / @n is within @half_width of @pct. False: none. */
bool stats_count_range(double pct, double half_width, uint64_t n, uint64_t *ret_low,
		       uint64_t *ret_high);
/* The only count k for which 100 k / @n is within @half_width of @pct. False: none or several. */
bool stats_count_of(double pct, double half_width, uint64_t n, uint64_t *ret);

#endif
