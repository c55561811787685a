/* SPDX-License-Identifier: MIT */
/*
 * counter_sides.h - two tables of counters that a text compares, and which is the worse
 */
#ifndef EXPLAIN_COUNTER_SIDES_H
#define EXPLAIN_COUNTER_SIDES_H

#include "explain/facts.h"

struct findings;

struct counter_sides {
	struct rule_input good, bad; /* the worse one costs more */
	const char *good_name;       /* "'after'", "the run of line 26" */
	const char *bad_name;
	bool is_sure; /* the text says that they are two sides of one thing */
};

/*
 * The pair of tables of one tool in @in's dossier that fits best: columns of one table, words
 * above them (before, after), the same command or program, or the only two tables. Of equal fits,
 * the pair that differs most. False: there is none.
 * Names are in the arena of @out. Cost: O(n^2) of at most 32 tables.
 */
bool counter_sides_find(const struct rule_input *in, struct findings *out,
			struct counter_sides *ret);

#endif
