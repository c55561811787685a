/* SPDX-License-Identifier: MIT */
/*
 * code_loops.h - loops in the listing of a function, from its jumps
 *
 * A loop is a set of instructions of which each can reach each other (a strongly connected part of
 * the control flow). So code that is moved out of line belongs to its loop, and a jump back that
 * nothing leads to is no loop. Within a loop, inner ones are found by cutting the jumps to its
 * entry. Calls return; indirect jumps lead nowhere.
 *
 * R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146-160.
 */
#ifndef ANALYSES_CODE_LOOPS_H
#define ANALYSES_CODE_LOOPS_H

#include "base/vec.h"

#include <stdint.h>

struct code;
struct code_function;
struct strings;

#define CODE_LOOPS_DEPTH 6u /* deeper loops count as part of the loop around them */

/* Row numbers are indices in code.rows. */
struct code_loop {
	uint32_t first, last; /* the first and the last instruction in the listing */
	uint32_t entry;       /* where the loop is entered */
	uint32_t n;           /* number of instructions */
	unsigned int depth;   /* 0: in no other loop */
	double self;          /* sum of the rows' self weights */
	uint32_t rows_at;     /* the loop has rows[rows_at] to rows[rows_at + n - 1], ascending */
};

struct code_loops {
	VEC(struct code_loop) loops; /* outer ones before their inner ones */
	VEC(uint32_t) rows;
};

/*
 * Find the loops of @f. Rows need addresses, and jumps their targets; otherwise there are none.
 * Overwrites @ret; owner: caller, code_loops_fini(). Cost: O(rows x depth).
 */
void code_loops_find(const struct code *code, const struct strings *strings,
		     const struct code_function *f, struct code_loops *ret);
void code_loops_fini(struct code_loops *l);
/*
 * The innermost loop that contains row @row; NULL: none. A loop whose body goes on at several
 * places looks like nested ones: the outer one is returned if it has at most twice as many
 * instructions and at least 1.25 times the weight. Cost: O(rows of loops).
 */
const struct code_loop *code_loops_around(const struct code_loops *l, uint32_t row);

#endif
