/* SPDX-License-Identifier: MIT */
/*
 * code_view.h - the hot parts of a function's listing
 *
 * Most instructions of a function have no samples. code_view_make() finds the hot rows, a few rows
 * around them, and the loops that contain hot rows. It also sums the weight of each source line and
 * each inlined function.
 */
#ifndef ANALYSES_CODE_VIEW_H
#define ANALYSES_CODE_VIEW_H

#include "base/vec.h"
#include "core/ids.h"

struct code;
struct code_function;
struct strings;

/* in percent of the function: rows with less weight are not hot */
#define CODE_VIEW_HOT_PCT 0.5
#define CODE_VIEW_ROWS    16u /* maximum number of hot rows; the heaviest are taken */
#define CODE_VIEW_AROUND  3u  /* rows that are shown before and after a hot row */
/* a gap between shown rows is shown, too, if it has at most this number of rows */
#define CODE_VIEW_GAP   2u
#define CODE_VIEW_LANES 4u /* maximum number of loops that are drawn next to each other */

/* A source line. Weights are in percent of the function. */
struct code_view_line {
	str_id file;
	uint32_t number;
	double self;
	/*
	 * row that has the text of the line, an index in code.rows; INDEX_NONE: the text is unknown
	 */
	uint32_t source;
};

/* A function that the compiler inlined. */
struct code_view_inlined {
	sym_id sym;
	double self; /* self weight of the inlined rows, in percent of the function */
};

/* A loop (code_loops.h). Row numbers are indices in code.rows. */
struct code_view_loop {
	uint32_t first, last; /* its first and last instruction in the listing */
	uint32_t n;           /* number of instructions */
	double self;          /* in percent of the function */
	/*
	 * column in which the loop is drawn; 0: innermost. Loops that share a row have different
	 * lanes
	 */
	unsigned int lane;
};

/* A zeroed struct is an empty view. */
struct code_view {
	/* indexed by row of the function: the row is hot, or near a hot row */
	VEC(bool) is_shown;
	VEC(struct code_view_line) lines;      /* heaviest first, without lines of weight 0 */
	VEC(struct code_view_inlined) inlined; /* heaviest first */
	VEC(struct code_view_loop) loops;      /* loops with hot rows, shortest first */
	unsigned int n_lanes;
	struct code_view_loop around; /* the innermost loop around the heaviest row; n is 0: none */
	VEC(uint32_t) rows;           /* hot rows, heaviest first; index in code.rows */
	uint32_t hot;                 /* the heaviest row; INDEX_NONE: no row has weight */
};

/*
 * Make the view of the function @f. Overwrites @ret; owner: caller, code_view_fini(). Cost: O(rows
 * log rows + loops²).
 */
void code_view_make(const struct code *code, const struct strings *strings,
		    const struct code_function *f, struct code_view *ret);
void code_view_fini(struct code_view *v);

/* The weight @weight in percent of the whole function @f. */
double code_view_pct(const struct code_function *f, double weight);

#endif
