/* SPDX-License-Identifier: MIT */
/*
 * compare_spreads.h - compare two measurements of the same values: whether the median or the tail
 * changed
 *
 * For each series that both sides have, there are three rows: for the median, the 90th and the 99th
 * percentile. Buckets hide the single values, so percentiles cannot be compared exactly. Instead, a
 * row compares the shares of values that are at least `bound`. `bound` is an edge of the buckets of
 * both sides, near the percentile of both sides together.
 *
 * The test treats values as independent. Successive latencies often are not independent, and two
 * recordings of the same work may differ more than the test expects; callers must warn about this.
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
 * Two shares count as the same if the 95 % interval of their difference is within plus or minus
 * COMPARE_SPREADS_MARGIN * (1 - quantile). That is 5 percentage points at the median, and 0.1
 * percentage points at the 99th percentile.
 */
#define COMPARE_SPREADS_MARGIN 0.1

enum spread_verdict {
	SPREAD_SAME,
	SPREAD_MORE, /* B has a larger share of values that are at least `bound` */
	SPREAD_LESS,
	SPREAD_CANNOT_TELL,
};

struct spread_change {
	const struct distribution_series *a, *b;
	double quantile;                 /* 0.5, 0.9 or 0.99 */
	struct spread_bounds at_a, at_b; /* bounds of the percentile on each side */
	/*
	 * edge of the buckets at which the sides are compared. NaN: the sides have no common edge,
	 * or the number of values of a series is unknown
	 */
	double bound;
	double pct_a, pct_b; /* values that are at least `bound`, in percent */
	double low, high;    /* 95 % interval of pct_b - pct_a; NaN: unknown */
	double q;            /* false discovery rate; NaN: not tested */
	enum spread_verdict verdict;
};

struct spread_compare {
	VEC(struct spread_change) rows; /* three rows for each common series, in the order of A */
	/* number of series that only one side has: `only_a` for A, `only_b` for B */
	uint32_t only_a, only_b;
	bool has_unknown; /* the number of values of a series is unknown, so it is not tested */
	struct spreads of[2];
};

/*
 * Compare the series of @a and @b that have equal keys, names and units. Both captures need
 * distributions. False: no series is in both. Owner of @ret: caller, spread_compare_fini(). Cost:
 * O(series of A x series of B + series x buckets²).
 */
bool spread_compare(const struct capture *a, const struct capture *b, struct spread_compare *ret);
void spread_compare_fini(struct spread_compare *c);

#endif
