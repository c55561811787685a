/* SPDX-License-Identifier: MIT */
/* compare_build.h - state shared by the parts of compare_profiles(); private */
#ifndef ANALYSES_COMPARE_BUILD_H
#define ANALYSES_COMPARE_BUILD_H

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_names.h"
#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"

struct capture;
struct category_cache;
struct profile;

/* One capture. Weights are in its own unit; `scale` and `divisor` convert them to values. */
struct compare_run {
	const struct capture *capture;
	const struct profile *profile;
	bool from_samples; /* otherwise from printed rows */
	double grain;      /* weight of one sample; 0: each entry is one sample of its own weight */
	double total;      /* sum of all weights, including those in no row */
	double total_squares; /* sum of squares of sample weights; NaN: number of samples unknown */
	double samples;       /* NaN: unknown */
	double shown;         /* printed: weight in rows */
	double seconds;       /* NaN: no times */
	double scale;         /* factor from weights to the unit of values */
	double divisor;       /* value = weight * scale / divisor */
	double anchor;        /* COMPARE_ANCHOR: weight of the anchor */
	double anchor_squares;
	double bound;          /* printed: largest weight of a function that is not printed */
	double bound_children; /* the same with callees */
	double missing;        /* printed: upper bound of the weight that is in no row */
	uint8_t *has_anchor;   /* by node; NULL: no anchor */
	uint32_t *stack_of;    /* by node: id in compare_build.stacks; NULL: not computed yet */
};

/* Stacks of both sides as one tree of functions. */
struct compare_stacks {
	VEC(uint32_t) parent; /* by id; 0 is the root */
	VEC(uint32_t) function;
	struct idmap map;
};

/* Rows of one level on one side, over all runs. */
struct compare_cells {
	double *value;
	double *variance; /* for independent samples; NaN: unknown */
	double *low;      /* rounding range below value, and above */
	double *high;
	double *runs; /* values by run, row by row; NULL: one run */
	bool *is_there;
	double size; /* stats_side size of an absent row; 0: unknown */
};

/* Maps nodes of a run to rows of a level. */
struct compare_walk {
	const struct compare_run *run;
	uint32_t *row; /* by node; INDEX_NONE: none */
	bool is_children;
	uint8_t *is_topmost; /* with callees: no caller is the same function */
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
	const char *chains_differ; /* why callees and stacks cannot be compared; NULL: they can */
	double run_variance; /* of the logarithm of amounts, in addition to sampling; 0: none */
	uint32_t anchor;     /* function; INDEX_NONE: none */
	/* slices of time: sample numbers sorted by slice, of a side's only run */
	uint32_t *order[2];
	size_t *slice_start[2]; /* n_slices + 1 */
	unsigned int n_slices;  /* 0: not sliced */
};

/* compare_collect.c */
/* Read a run. False: it has neither samples nor usable rows. */
bool compare_run_init(struct compare_run *r, const struct capture *c);
void compare_run_fini(struct compare_run *r);
/* Why a run lacks a level; NULL: the level is available. */
const char *compare_run_lacks(const struct compare_run *r, enum compare_level level);
uint32_t compare_row_count(struct compare_build *b, enum compare_level level);
void compare_walk_init(struct compare_walk *w, struct compare_build *b, struct compare_run *r,
		       enum compare_level level);
void compare_walk_fini(struct compare_walk *w);
/*
 * Sum the samples @order[from … to) (NULL: in order) into rows: weights in @sum, squares of
 * sample weights in @squares (NULL: not needed). Rows that become positive are appended to
 * @touched unless it is NULL.
 */
typedef struct {
	uint32_t *data;
	size_t len;
} compare_list;
void compare_walk_add(struct compare_walk *w, const uint32_t *order, size_t from, size_t to,
		      double *sum, double *squares, double *anchored, compare_list *touched);
/* Share of weight in functions without a known object on any side. */
double compare_without_object(const struct compare_build *b, const struct compare_run *r);
void compare_anchor(struct compare_build *b, struct compare_run *r);
void compare_cells_init(struct compare_cells *cells, struct compare_build *b, int side,
			enum compare_level level);
void compare_cells_fini(struct compare_cells *cells);
/* Convert a weight of one run to a value. */
static inline double compare_value(const struct compare_run *r, double weight)
{
	return weight * r->scale / r->divisor;
}

/* compare_spread.c */
/* Determine the source of the variance and the time slices. Needs the symbol level's cells. */
void compare_spread_init(struct compare_build *b);
void compare_spread_fini(struct compare_build *b);
/*
 * The variance ratio of each row's difference relative to independent samples, and its degrees
 * of freedom.
 */
void compare_spread(struct compare_build *b, enum compare_level level,
		    const struct compare_cells *a, const struct compare_cells *c, uint32_t n_rows,
		    double *ret_ratio, double *ret_df);

/* compare_whole.c */
/* Compare totals of whole runs. */
void compare_wholes(struct compare_build *b);
/* Divide a change of the total among functions; needs the tables. */
void compare_parts(struct compare_build *b);
/* Total count of the event over the recording, in its unit; NaN: unknown. */
double compare_events_of(const struct compare_run *r);
/* Do weights or the printed event count of @c count nanoseconds? */
bool compare_counts_ns(const struct capture *c);

/* Whether callers can be named: few chains are broken, few lack their first caller. */
bool compare_has_callers(const struct compare_build *b);
/*
 * The caller with the largest part of @total, the sum of @factor[0] * a + @factor[1] * b over
 * the stacks that end in function @name; STR_NONE: none with a name. Cost: O(n) for n stacks,
 * O(m log m) for those with the function.
 */
struct compare_callee {
	struct str name, dso;
	double factor[2];
	double total;
};
struct str compare_main_caller(const struct compare *c, const struct compare_callee *f,
			       double *ret_part);

/* compare_moves.c: find functions whose work moved to others; needs the tables. */
void compare_moves(struct compare_build *b);

/* compare_bursts.c: find temporary changes; needs the time slices. */
void compare_bursts(struct compare_build *b);

/* compare_judge.c */
/* Whether one name contains the other, without leading underscores. */
bool compare_is_renamed(struct str from, struct str to);
void compare_judge(struct compare_build *b, enum compare_level level);
void compare_judge_paths(struct compare_build *b);
/*
 * Compute q, verdicts and counts. @margin_pct: margin in percent of each row's a; 0:
 * compare.margin, and tests are weighted by share.
 */
void compare_verdicts(struct compare *c, struct compare_table *t, double margin_pct);

#endif
