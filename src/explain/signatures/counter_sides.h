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
	bool is_sure; /* the text itself presents the tables as two sides of one comparison */
};

/*
 * Find the two tables of one tool in the dossier that form the best pair. The tables of a pair are
 * two columns of one table, have opposite labels (before, after), belong to one command or program,
 * or are the only two tables. Of equally good pairs, the one with the largest difference in cost is
 * best. False: no pair. Names are in the arena of @out. Cost: O(n^2) for n tables, at most 32.
 */
bool counter_sides_find(const struct rule_input *in, struct findings *out,
			struct counter_sides *ret);

#endif
