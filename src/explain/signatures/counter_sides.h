/* SPDX-License-Identifier: MIT */
/*
 * counter_sides.h - find two tables of counters that a text compares, and determine the worse one
 */
#ifndef EXPLAIN_COUNTER_SIDES_H
#define EXPLAIN_COUNTER_SIDES_H

#include "explain/facts.h"

struct findings;

struct counter_sides {
	struct rule_input good, bad; /* the two tables; `bad` is the table that costs more */
	/* names of both tables, for sentences: "'after'", "the run of line 26" */
	const char *good_name;
	const char *bad_name;
	/*
	 * the text presents the tables as the two sides of a comparison, such as "before" and
	 * "after"
	 */
	bool is_sure;
};

/*
 * Find the two tables that are the best pair. Both tables are from one tool. They are two columns
 * of one table, or have opposite labels (before, after), or are about one command or program, or
 * are the only two tables. Of equally good pairs, the one with the largest difference in cost is
 * best. False: there is no pair. The names are in the arena of @out. Cost: O(n^2) for n tables, at
 * most 32.
 */
bool counter_sides_find(const struct rule_input *in, struct findings *out,
			struct counter_sides *ret);

#endif
