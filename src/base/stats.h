/* SPDX-License-Identifier: MIT */
/*
 * stats.h - intervals that contain the true value of a count or percentage
 *
 * There are two kinds of intervals, which are never mixed. A *rounding* interval is sure to contain
 * the true value, which the input shows rounded. A *sampling* interval is a confidence interval of
 * a proportion. The functions have no state. Percentages are from 0 to 100.
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
 * Wilson score interval of the proportion @k / @n, in percent. @k may have a fraction. @z: quantile
 * of the normal distribution, such as STATS_Z95. If @n <= 0, the interval is 0 to 100.
 * Source: E. B. Wilson, JASA 22 (1927) 209-212.
 */
struct interval stats_wilson(double k, double n, double z);
/*
 * Find the smallest and the largest count k for which 100 k / @n differs from @pct by at most
 * @half_width. False: there is no such count.
 */
bool stats_count_range(double pct, double half_width, uint64_t n, uint64_t *ret_low,
		       uint64_t *ret_high);
/*
 * Find the only count k for which 100 k / @n differs from @pct by at most @half_width. False: no
 * count or several counts do.
 */
bool stats_count_of(double pct, double half_width, uint64_t n, uint64_t *ret);

#endif
