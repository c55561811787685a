/* SPDX-License-Identifier: MIT */
/*
 * pairs.h - two profiles of one text, and the functions that differ
 *
 * A pair is defined by the text: captures labelled before and after or good and bad
 * (formats/sides.h), or both sides of a table that a tool printed. The only two tables of a
 * text are also a pair if they have enough in common.
 *
 * A function that only one table prints had at most the share of the last row in the other
 * one, if rows are in descending order. That bound is its value, marked as such. Functions
 * without self share in either are compared with callees.
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
	bool is_bound;             /* the smaller value is the bound for a missing row */
	bool has_callees;          /* inclusive shares */
};

struct pair {
	struct rule_input first, second;
	bool has_sides;                         /* the tool printed both sides */
	bool is_said;                           /* the text names the sides */
	const struct capture *bad;              /* NULL: unknown */
	struct pair_change changes[PAIR_SHOWN]; /* largest first; if bad is known: growth there */
	size_t n;
	size_t changed;
	size_t compared;
	bool knows_noise;
};

/* The pair that starts with capture @number. False: none. Cost: the captures near it. */
bool pair_of(const struct rule_input *in, uint32_t number, struct pair *ret);
/* Number of tables near @number that could form a pair with it, itself included. */
size_t pair_tables(const struct rule_input *in, uint32_t number);
bool pair_is_kin(const struct rule_input *in, uint32_t number, uint32_t other);
/* Fill changes. Cost: O(functions). */
void pair_compare(struct pair *p);

#endif
