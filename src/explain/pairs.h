/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - two profiles of one text, and the functions that differ
 *
 * Two captures are a pair if the text labels them before and after, or good and bad
 * (formats/sides.h), or if they are both columns of a table that a tool printed. Two neighbouring
 * tables without labels are also a pair if they have enough functions in common.
 *
 * A function may be missing from one table. If the rows are in descending order, its share there is
 * at most the share of the last row. That bound is its value, marked as is_bound. If hardly any
 * self share changed, functions are compared by inclusive share.
 */
#ifndef EXPLAIN_PAIRS_H
#define EXPLAIN_PAIRS_H

#include "core/ids.h"
#include "explain/facts.h"

struct capture;

#define PAIR_SHOWN 3u

struct pair_change {
	/* the function in the first and second profile; NULL: not printed there */
	const struct fact_function *a, *b;
	sym_id sym;
	double before, after, err; /* shares, percent; err: sum of the rounding errors of both */
	/* one of both shares is only an upper bound: its table has no row for the function */
	bool is_bound;
	bool has_callees; /* before and after are inclusive shares */
};

struct pair {
	struct rule_input first, second;
	/* the captures are both columns of one table that a tool printed */
	bool has_sides;
	/* the text labels the captures as before and after, or good and bad */
	bool is_labelled;
	const struct capture *bad; /* the profile labelled bad; NULL: unknown */
	/* largest change first; if bad is known, only growth in bad counts */
	struct pair_change changes[PAIR_SHOWN];
	size_t n;
	size_t changed;
	size_t compared;
	bool knows_noise;
};

/* Find the pair whose first capture is @number. False: no pair. Cost: O(captures near it). */
bool pair_of(const struct rule_input *in, uint32_t number, struct pair *ret);
/* Number of tables near @number, itself included, that could form a pair with it. */
size_t pair_tables(const struct rule_input *in, uint32_t number);
bool pair_is_kin(const struct rule_input *in, uint32_t number, uint32_t other);
/* Compare both profiles and set p->changes. Cost: O(functions). */
void pair_compare(struct pair *p);

#endif
