/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - two profiles of one text, and which functions differ between them
 *
 * A pair is what the text says is one: captures labelled before and after or good and bad
 * (formats/sides.h), both sides of a table that a tool printed, or the only two tables of a
 * text if they have enough in common.
 *
 * A function that only one table prints had less in the other one than the least row there,
 * where rows fall; that is its value, and says so. Functions without time of their own in
 * either are compared with what they call.
 */
#ifndef EXPLAIN_PAIRS_H
#define EXPLAIN_PAIRS_H

#include "core/ids.h"
#include "explain/facts.h"

struct capture;

#define PAIR_SHOWN 3u

struct pair_change {
	const struct fact_function *a, *b; /* in the first and second profile; one may be NULL */
	sym_id sym;
	double before, after, err; /* percent; err: rounding of both */
	bool is_bound;             /* the smaller is what the other table would have shown */
	bool has_callees;          /* shares with callees */
};

struct pair {
	struct rule_input first, second;
	bool has_sides;            /* the tool printed both sides */
	bool is_said;              /* the text says which is which */
	const struct capture *bad; /* NULL: not known */
	struct pair_change
		changes[PAIR_SHOWN]; /* the largest first; if bad is known: growth there */
	size_t n;
	size_t changed;
	size_t compared;
	bool knows_noise;
};

/* The pair that begins with capture @number. False: none does. Cost: the captures near it. */
bool pair_of(const struct rule_input *in, uint32_t number, struct pair *ret);
/* How many tables near @number could be one half of a pair with it; itself counts. */
size_t pair_tables(const struct rule_input *in, uint32_t number);
bool pair_is_kin(const struct rule_input *in, uint32_t number, uint32_t other);
/* Fill changes. Cost: O(functions). */
void pair_compare(struct pair *p);

#endif
