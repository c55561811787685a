/* SPDX-License-Identifier: MIT */
/* counter_sides.h - find two tables of counters that a text compares, and the worse one */
#ifndef EXPLAIN_COUNTER_SIDES_H
#define EXPLAIN_COUNTER_SIDES_H

#include "explain/facts.h"

struct findings;

struct counter_sides {
	struct rule_input good, bad; /* bad is the side that costs more */
	const char *good_name;       /* "'after'", "the run of line 26" */
	const char *bad_name;
	bool is_sure; /* the text itself shows that the tables are two sides of one comparison */
};

/*
 * Find the best pair of tables of one tool in the dossier of @in. A pair is two columns of one
 * table, or two tables with opposite labels (before, after), of one command or program, or the only
 * two tables. Of equally good pairs, the one with the largest difference in cost is best. False: no
 * pair. Names are in the arena of @out. Cost: O(n^2) for n tables, at most 32.
 */
bool counter_sides_find(const struct rule_input *in, struct findings *out,
			struct counter_sides *ret);

#endif
