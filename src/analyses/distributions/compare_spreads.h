/* SPDX-License-Identifier: MIT */
/*
 * compare_spreads.h - compare two measurements of the same values: did the middle or the tail move?
 *
 * For each series that both sides have, there is a row for the median, the 90th and the 99th
 * percentile. Buckets hide the values, so a row compares shares: of the values that are at least
 * `bound`, an edge of the buckets of both sides, near that percentile. The edge is chosen by both
 * sides together.
 *
 * The values count as independent. Successive latencies often are not, and two recordings of the
 * same work may differ more; callers say so.
 */
#ifndef ANALYSES_COMPARE_SPREADS_H
#define ANALYSES_COMPARE_SPREADS_H

#include "analyses/distributions/spread.h"
#include "base/vec.h"

struct capture;
struct distribution_series;

/* A change is significant below this false discovery rate, over all rows. */
#define COMPARE_SPREADS_FDR 0.05
/*
 * Shares are the same if the whole interval of their difference is within this part of the share
 * above the percentile: 5 points at the median, 0.1 at the 99th percentile.
 */
#define COMPARE_SPREADS_MARGIN 0.1

enum spread_verdict {
	SPREAD_SAME,
	SPREAD_MORE, /* more values of B are at least `bound` */
	SPREAD_LESS,
	SPREAD_CANNOT_TELL,
};

struct spread_change {
	const struct distribution_series *a, *b;
	double quantile;                 /* 0.5, 0.9 or 0.99 */
	struct spread_bounds at_a, at_b; /* the percentile on each side */
	double bound;                    /* NaN: no common edge of buckets, or nothing is tested */
	double pct_a, pct_b;             /* values that are at least `bound`, in percent */
	double low, high;                /* 95 % interval of pct_b - pct_a; NaN: unknown */
	double q;                        /* false discovery rate; NaN: not tested */
	enum spread_verdict verdict;
};

struct spread_compare {
	VEC(struct spread_change) rows; /* the series in the order of A */
	uint32_t only_a, only_b;        /* series without a partner */
	bool has_unknown; /* a series is without the number of its values, so nothing is tested */
	struct spreads of[2];
};

/*
 * Compare the series of @a and @b, captures with distributions, that have equal keys, names and
 * units. False: none. Owner of @ret: caller, spread_compare_fini(). Cost: O(series of A x series of
 * B + series x buckets²).
 */
bool spread_compare(const struct capture *a, const struct capture *b, struct spread_compare *ret);
void spread_compare_fini(struct spread_compare *c);

#endif
