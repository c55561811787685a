/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - two profiles of one text, and the functions that differ
 *
 * Two captures are a pair if the text labels them before and after, or good and bad
 * (formats/sides.h), or if they are two columns of one printed table. Two neighbouring tables
 * without labels are also a pair if they have enough functions in common.
 *
 * A function may have a row in only one table. If the rows of the other table are in descending
 * order, its last row is an upper bound for the function's share there. This bound is then used as
 * the share, and is_bound is set. If hardly any self share changed, functions are compared by
 * inclusive share.
 */
#ifndef EXPLAIN_PAIRS_H
#define EXPLAIN_PAIRS_H

#include "core/ids.h"
#include "explain/facts.h"

struct capture;

#define PAIR_SHOWN 3u

struct pair_change {
	/* the function in the first and in the second profile; NULL: it has no row there */
	const struct fact_function *a, *b;
	sym_id sym;
	/*
	 * `before`, `after`: shares in percent. `err`: sum of the rounding errors of both shares.
	 * If the shares are means over runs, `err` also includes `spread`, the standard deviation
	 * of the difference between two runs.
	 */
	double before, after, err, spread;
	/* `before` or `after` is only an upper bound: the function has no row in that table */
	bool is_bound;
	bool has_callees; /* before and after are inclusive shares */
};

struct pair {
	struct rule_input first, second;
	/* the captures are two columns of one table that a tool printed */
	bool has_sides;
	/* the text labels the captures as before and after, or good and bad */
	bool is_labelled;
	const struct capture *bad; /* the profile labelled bad; NULL: unknown */
	/*
	 * the largest change first; if `bad` is known, only functions with a larger share in `bad`
	 */
	struct pair_change changes[PAIR_SHOWN];
	size_t n;
	size_t changed;
	size_t compared;
	bool knows_noise;
};

/* Find the pair whose first capture is @number. False: no pair. Cost: O(captures nearby). */
bool pair_of(const struct rule_input *in, uint32_t number, struct pair *ret);
/* Number of tables that could form a pair with table @number, including this table. */
size_t pair_tables(const struct rule_input *in, uint32_t number);
bool pair_is_kin(const struct rule_input *in, uint32_t number, uint32_t other);
/* Compare the two profiles: set `changes` of @p and the following members. Cost: O(functions). */
void pair_compare(struct pair *p);

#endif
