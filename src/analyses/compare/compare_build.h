/* SPDX-License-Identifier: MIT */
/*
 * compare_build.h - what the parts of compare_profiles() hand to each other; private
 */
#ifndef ANALYSES_COMPARE_BUILD_H
#define ANALYSES_COMPARE_BUILD_H

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_names.h"
#include "analyses/compare/stats_compare.h"

/* One capture. Weights of it are in its own unit; `scale` and `divisor` make values of them. */
struct compare_run {
	const struct capture *capture;
	const struct profile *profile;
	bool from_samples; /* else printed rows */
	double grain;      /* weight of one sample; 0: each entry is one sample of its own weight */
	double total;      /* sum of all weights, those in no row included */
	double total_squares; /* of the weights of single samples; NaN: number not known */
	double samples;       /* NaN: not known */
	double shown;         /* printed: weight in rows */
	double seconds;       /* NaN: no times */
	double scale;         /* from weights to the unit of values */
	double divisor;       /* weights * scale / divisor is a value */
	double anchor;        /* COMPARE_ANCHOR: weight of the anchor */
	double anchor_squares;
	double bound; /* printed: what a function that is not shown may have, as a weight */
	double bound_children; /* the same with callees */
	double missing;        /* printed: weight that no row shows, at most */
	uint8_t *has_anchor;   /* by node; NULL: no anchor */
	uint32_t *stack_of;    /* by node: of compare_build.stacks; NULL until asked */
};

/* All stacks of both sides as one tree of functions. */
struct compare_stacks {
	VEC(uint32_t) parent; /* by id; 0 is the root */
	VEC(uint32_t) function;
	struct idmap map;
};

/* Rows of one level on one side, over all runs. */
struct compare_cells {
	double *value;
	double *variance; /* as of independent samples; NaN: not known */
	double *low;      /* what the print allows less than value, and more */
	double *high;
	double *runs; /* values by run, row after row; NULL: one run */
	bool *is_there;
	double size; /* of stats_side for a row that is not there; 0: not known */
};

/* Where a row of a level is on a node of a run. */
struct compare_walk {
	const struct compare_run *run;
	uint32_t *row; /* by node; INDEX_NONE: none */
	bool is_children;
	uint8_t *is_topmost; /* of children: no such function further out */
	double *weight;      /* by node, zero between uses */
	uint8_t *is_touched;
	VEC(uint32_t) touched;
};

struct compare_build {
	const struct compare_spec *spec;
	struct category_cache *cats;
	struct compare *ret;
	struct compare_names names;
	struct compare_stacks stacks;
	struct compare_run runs[2][COMPARE_RUNS_MAX];
	size_t n_runs[2];
	bool is_rate;
	uint32_t anchor; /* function; INDEX_NONE */
	/* times cut into slices: sample numbers ordered by slice, of the only run of a side */
	uint32_t *order[2];
	size_t *slice_start[2]; /* n_slices + 1 */
	unsigned int n_slices;  /* 0: not cut */
};

/* compare_collect.c */
/* False: the run has no samples and no usable rows. */
bool compare_run_init(struct compare_run *r, const struct capture *c);
void compare_run_fini(struct compare_run *r);
/* NULL: the level is there; else why not. */
const char *compare_run_lacks(const struct compare_run *r, enum compare_level level);
uint32_t compare_row_count(struct compare_build *b, enum compare_level level);
void compare_walk_init(struct compare_walk *w, struct compare_build *b, struct compare_run *r,
		       enum compare_level level);
void compare_walk_fini(struct compare_walk *w);
/*
 * Add the samples @order[from … to) (NULL: their numbers) up into rows: weight in
 * @sum, squares of the weights of single samples in @squares (NULL: not asked).
 * Rows that became more than 0 are appended to @touched where that is not NULL.
 */
typedef struct {
	uint32_t *data;
	size_t len;
} compare_list;
void compare_walk_add(struct compare_walk *w, const uint32_t *order, size_t from, size_t to,
		      double *sum, double *squares, double *anchored, compare_list *touched);
/* Share of the weight in functions of which no side says the object. */
double compare_without_object(const struct compare_build *b, const struct compare_run *r);
void compare_anchor(struct compare_build *b, struct compare_run *r);
void compare_cells_init(struct compare_cells *cells, struct compare_build *b, int side,
			enum compare_level level);
void compare_cells_fini(struct compare_cells *cells);
/* From weights of one run to a value. */
static inline double compare_value(const struct compare_run *r, double weight)
{
	return weight * r->scale / r->divisor;
}

/* compare_spread.c */
/* Say where the spread comes from, cut the times. Needs the symbol level's cells. */
void compare_spread_init(struct compare_build *b);
void compare_spread_fini(struct compare_build *b);
/*
 * The variance of each row's difference against that of independent samples, and
 * its degrees of freedom.
 */
void compare_spread(struct compare_build *b, enum compare_level level,
		    const struct compare_cells *a, const struct compare_cells *c, uint32_t n_rows,
		    double *ret_ratio, double *ret_df);

/* compare_judge.c */
void compare_judge(struct compare_build *b, enum compare_level level);
void compare_judge_paths(struct compare_build *b);
/*
 * q, verdicts, counts. @margin_pct: the margin in percent of each row's a; 0: compare.margin,
 * and tests have weights by share.
 */
void compare_verdicts(struct compare *c, struct compare_table *t, double margin_pct);

#endif
