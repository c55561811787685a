/* SPDX-License-Identifier: MIT */
#include "base/stats.h"

#include <math.h>

/*
 * A value counts as inside a rounding interval if it is at most this far outside. This allows for
 * rounding errors.
 */
#define STATS_EDGE 1e-9

struct interval stats_wilson(double k, double n, double z)
{
	double p, z2, centre, half, denominator;
	struct interval i = { 0, 100 };

	if (!(n > 0))
		return i;
	p = fmin(fmax(k / n, 0), 1);
	z2 = z * z;
	denominator = 1 + z2 / n;
	centre = (p + z2 / (2 * n)) / denominator;
	half = z / denominator * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	i.low = 100 * fmax(centre - half, 0);
	i.high = 100 * fmin(centre + half, 1);
	return i;
}

bool stats_count_range(double pct, double half_width, uint64_t n, uint64_t *ret_low,
		       uint64_t *ret_high)
{
	double scale = (double)n / 100;
	double low = ceil((pct - half_width) * scale - STATS_EDGE * scale - STATS_EDGE);
	double high = floor((pct + half_width) * scale + STATS_EDGE * scale + STATS_EDGE);

	low = fmax(low, 0);
	high = fmin(high, (double)n);
	if (!(low <= high))
		return false;
	*ret_low = (uint64_t)low;
	*ret_high = (uint64_t)high;
	return true;
}

bool stats_count_of(double pct, double half_width, uint64_t n, uint64_t *ret)
{
	uint64_t high;

	return stats_count_range(pct, half_width, n, ret, &high) && *ret == high;
}
