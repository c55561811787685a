/* SPDX-License-Identifier: MIT */
/*
 * compare_counters.h - two measurements of one thing: which counters changed
 *
 * One row an event that both sides counted: the ratio, its interval, and whether it
 * changed. The rule counters-differ draws the conclusions.
 */
#ifndef ANALYSES_COMPARE_COUNTERS_H
#define ANALYSES_COMPARE_COUNTERS_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"

struct capture;

enum counter_verdict {
	COUNTER_SAME, /* the interval contains "no change", or the change is too small to report */
	COUNTER_MORE, /* of B against A */
	COUNTER_LESS,
	COUNTER_UNCERTAIN, /* one run on each side, and a change that runs alone may cause */
};

struct counter_change {
	enum counter_role role; /* COUNTS_NONE: no known role, only a name */
	str_id name;
	str_id key;
	uint32_t line_a, line_b;
	double a, b;      /* events, or seconds */
	double ratio;     /* b / a */
	double low, high; /* 95 % from the spread of runs; low == high: not known */
	enum counter_verdict verdict;
};

struct counter_compare {
	VEC(struct counter_change) rows; /* in the order of A */
	uint32_t only_a, only_b;         /* rows without a counterpart */
};

/*
 * Owner: caller, counter_compare_fini(). False: no event was counted on both sides.
 * Cost: O((rows of A + rows of B) * roles).
 */
bool counter_compare(const struct capture *a, const struct capture *b, struct counter_compare *ret);
void counter_compare_fini(struct counter_compare *c);
/* The change of an event; NULL: not counted on both sides. */
const struct counter_change *counter_compare_role(const struct counter_compare *c,
						  enum counter_role role);
/*
 * The change in cost: the first that changed of elapsed time, CPU time, cycles and instructions.
 * If none did, the first that was counted; NULL: unknown.
 */
const struct counter_change *counter_compare_cost(const struct counter_compare *c);

#endif
