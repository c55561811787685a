/* SPDX-License-Identifier: MIT */
/*
 * compare_counters.h - compare two measurements of the same work: which counters changed
 *
 * There is one row for each event that both sides counted, with the ratio, its interval, and
 * whether the count changed. The rule counters-differ draws conclusions from the rows.
 */
#ifndef ANALYSES_COMPARE_COUNTERS_H
#define ANALYSES_COMPARE_COUNTERS_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/counter_roles.h"

struct capture;

enum counter_verdict {
	/* no change: the ratio's interval contains 1, or the change is too small to report */
	COUNTER_SAME,
	COUNTER_MORE, /* B counted more than A */
	COUNTER_LESS,
	/*
	 * with one run on each side, chance may have caused the change. Or perf could not see the
	 * event (is_unseen)
	 */
	COUNTER_UNCERTAIN,
};

struct counter_change {
	/* role of the event (COUNTS_*); COUNTS_NONE: only the event's name is known */
	enum counter_role role;
	str_id name;
	str_id key;
	/*
	 * for an event with a role: privilege levels to which it is restricted (set of
	 * COUNTS_IN_...); 0: not restricted
	 */
	unsigned int levels;
	uint32_t line_a, line_b;
	double a, b;    /* number of events; for times, seconds */
	double ratio;   /* quotient b / a; NaN: is_unseen */
	bool is_unseen; /* one side is 0 because perf could not see the event */
	/*
	 * 95 % interval of the ratio b / a, from the spread of repeated runs. If the spread is
	 * unknown, low and high equal the ratio
	 */
	double low, high;
	bool has_spread; /* both sides state their spread, which may be 0.00 % */
	enum counter_verdict verdict;
};

struct counter_compare {
	/*
	 * first the events with a role, sorted by role; then the events without a role, in the
	 * order of A
	 */
	VEC(struct counter_change) rows;
	/*
	 * number of events without a role that only one side counted: `only_a` for A, `only_b` for
	 * B
	 */
	uint32_t only_a, only_b;
};

/*
 * Compare A and B. False: no event was counted on both sides. Owner of @ret: caller,
 * counter_compare_fini(). Cost: O((rows of A + rows of B) * roles).
 */
bool counter_compare(const struct capture *a, const struct capture *b, struct counter_compare *ret);
void counter_compare_fini(struct counter_compare *c);
/* The change of the event with @role; NULL: one side did not count this event. */
const struct counter_change *counter_compare_role(const struct counter_compare *c,
						  enum counter_role role);
/*
 * The change that best shows the cost of the work: the first of elapsed time, CPU time, cycles and
 * instructions that changed. If none of these changed, the first that both sides counted. NULL:
 * there is none.
 */
const struct counter_change *counter_compare_cost(const struct counter_compare *c);

#endif
