/* SPDX-License-Identifier: MIT */
/*
 * code_loops.h - loops in the listing of a function, found from its jumps
 *
 * A loop is a set of instructions in which each instruction can reach every other: a strongly
 * connected component of the control flow. So code that the compiler moved out of line still
 * belongs to its loop, and a backward jump in unreachable code forms no loop. Inner loops are found
 * by ignoring the jumps to the entry of the outer loop. Calls count as returning; indirect jumps
 * have no target.
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

#define CODE_LOOPS_DEPTH 6u /* deeper loops count as part of the loop that contains them */

/* A loop. first, last and entry are indices in code.rows. */
struct code_loop {
	uint32_t first, last; /* the first and the last instruction in the listing */
	uint32_t entry;       /* the first instruction that is reached from outside the loop */
	uint32_t n;           /* number of instructions */
	unsigned int depth;   /* number of loops that contain this loop */
	double self;          /* sum of the rows' self weights */
	/* its instructions: code_loops.rows[rows_at] to rows[rows_at + n - 1], ascending */
	uint32_t rows_at;
};

struct code_loops {
	VEC(struct code_loop) loops; /* outer loops before their inner loops */
	VEC(uint32_t) rows;
};

/*
 * Find the loops of @f. No loops are found unless rows have addresses and jumps have targets.
 * Overwrites @ret; owner: caller, code_loops_fini(). Cost: O(rows x depth).
 */
void code_loops_find(const struct code *code, const struct strings *strings,
		     const struct code_function *f, struct code_loops *ret);
void code_loops_fini(struct code_loops *l);
/*
 * The innermost loop that contains row @row; NULL: none. A single loop in the source, with jumps
 * from several places to its start, may look like nested loops. So the next outer loop is returned
 * if it has at most twice as many instructions and at least 1.25 times the weight. Cost: O(rows of
 * loops).
 */
const struct code_loop *code_loops_around(const struct code_loops *l, uint32_t row);

#endif
