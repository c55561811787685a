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

/* One capture. Weights are in the capture's unit; `scale` and `divisor` convert them to values. */
struct compare_run {
	const struct capture *capture;
	const struct profile *profile;
	bool from_samples; /* false: the profile is a printed report and has rows */
	/* weight of one sample; 0: each entry of the profile is one sample with its own weight */
	double grain;
	double total;         /* sum of all weights, including those in no row */
	double total_squares; /* sum of squares of sample weights; NaN: number of samples unknown */
	double samples;       /* NaN: unknown */
	double shown;         /* printed reports: weight of all rows */
	double seconds;       /* NaN: samples have no times */
	double scale;         /* factor from weights to compare.unit */
	double divisor;       /* value = weight * scale / divisor */
	/* COMPARE_ANCHOR: weight of the samples with the anchor on their stack */
	double anchor;
	double anchor_squares;
	/* printed reports: largest possible weight of a function without a row */
	double bound;
	/* largest possible weight with callees of a function without a row */
	double bound_children;
	double missing; /* printed reports: upper bound of the weight outside all rows */
	/* by stack node: whether the anchor is on the stack; NULL: no anchor */
	uint8_t *has_anchor;
	/* id in compare_build.stacks by stack node; NULL: not computed yet */
	uint32_t *stack_of;
};

/* Stacks of both sides as one tree of functions. */
struct compare_stacks {
	VEC(uint32_t) parent; /* by stack id; 0 is the root */
	VEC(uint32_t) function;
	struct idmap map;
};

/* Values of all rows of one level on one side, combined over the side's runs. */
struct compare_cells {
	double *value;
	double *variance; /* variance if samples were independent; NaN: unknown */
	/* distance from value to the lower end of its rounding range; high: to the upper end */
	double *low;
	double *high;
	double *runs; /* value of each run, [row * number of runs + run]; NULL: one run */
	bool *is_there;
	double size; /* stats_side.size of a row absent on this side; 0: unknown */
};

/* Maps stack nodes of a run to rows of a level. */
struct compare_walk {
	const struct compare_run *run;
	uint32_t *row; /* by stack node; INDEX_NONE: the node has no row */
	bool is_children;
	uint8_t *is_topmost; /* with callees: no caller of the node is the same function */
	double *weight;      /* by stack node; all zero between uses */
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
	/* reason why callees and stacks cannot be compared; NULL: they can */
	const char *chains_differ;
	/* additional variance of the logarithm of a value, from run to run; 0: none */
	double run_variance;
	uint32_t anchor; /* index of the anchor function in names.functions; INDEX_NONE: none */
	/* time slices of a side that has only one run: indices of samples, sorted by slice */
	uint32_t *order[2];
	size_t *slice_start[2]; /* start of each slice in `order`; n_slices + 1 entries */
	unsigned int n_slices;  /* 0: the recordings are not cut into slices */
};

/* Functions of compare_collect.c. */
/* Read a run. False: the run has neither samples nor usable rows. */
bool compare_run_init(struct compare_run *r, const struct capture *c);
void compare_run_fini(struct compare_run *r);
/* Reason why a run lacks a level; NULL: the run has it. */
const char *compare_run_lacks(const struct compare_run *r, enum compare_level level);
uint32_t compare_row_count(struct compare_build *b, enum compare_level level);
void compare_walk_init(struct compare_walk *w, struct compare_build *b, struct compare_run *r,
		       enum compare_level level);
void compare_walk_fini(struct compare_walk *w);
/*
 * Sum the samples @order[from … to) into rows (@order NULL: samples from … to). @sum gets
 * weights, @squares squares of sample weights (NULL: not needed). Rows whose sum becomes
 * positive are appended to @touched unless it is NULL.
 */
typedef struct {
	uint32_t *data;
	size_t len;
} compare_list;
void compare_walk_add(struct compare_walk *w, const uint32_t *order, size_t from, size_t to,
		      double *sum, double *squares, double *anchored, compare_list *touched);
/* Share of a run's weight in functions without an object on either side. */
double compare_without_object(const struct compare_build *b, const struct compare_run *r);
void compare_anchor(struct compare_build *b, struct compare_run *r);
void compare_cells_init(struct compare_cells *cells, struct compare_build *b, int side,
			enum compare_level level);
void compare_cells_fini(struct compare_cells *cells);
/* Convert a weight of run @r to a value. */
static inline double compare_value(const struct compare_run *r, double weight)
{
	return weight * r->scale / r->divisor;
}

/* Functions of compare_spread.c. */
/* Choose the source of the variance and cut the time slices. Needs the symbol level's cells. */
void compare_spread_init(struct compare_build *b);
void compare_spread_fini(struct compare_build *b);
/*
 * For each row: the variance of its difference relative to independent samples, and the degrees of
 * freedom of this ratio.
 */
void compare_spread(struct compare_build *b, enum compare_level level,
		    const struct compare_cells *a, const struct compare_cells *c, uint32_t n_rows,
		    double *ret_ratio, double *ret_df);

/* Functions of compare_whole.c. */
/* Compare totals of whole runs. */
void compare_wholes(struct compare_build *b);
/* Split the change of a total among functions; needs the tables. */
void compare_parts(struct compare_build *b);
/* Total count of the event over the recording, in the event's unit; NaN: unknown. */
double compare_events_of(const struct compare_run *r);
/* Whether the weights or the printed event count of @c are nanoseconds. */
bool compare_counts_ns(const struct capture *c);

/* Whether callers can be named: few chains are broken, and few lack their first caller. */
bool compare_has_callers(const struct compare_build *b);
/*
 * A function whose main caller is sought: the caller with the largest part of the function's
 * amount. A stack that ends in the function adds factor[0] * a + factor[1] * b; `total` is the sum
 * over all such stacks. STR_NONE: no caller has a name. Cost: O(n + m log m) for n stacks, m of
 * which end in the function.
 */
struct compare_callee {
	struct str name, dso;
	double factor[2];
	double total;
};
struct str compare_main_caller(const struct compare *c, const struct compare_callee *f,
			       double *ret_part);

/* compare_moves.c: find functions whose work moved to other functions; needs the tables. */
void compare_moves(struct compare_build *b);

/* compare_bursts.c: find temporary changes; needs the time slices. */
void compare_bursts(struct compare_build *b);

/* Functions of compare_judge.c. */
/* Whether one name contains the other one, apart from leading underscores. */
bool compare_is_renamed(struct str from, struct str to);
void compare_judge(struct compare_build *b, enum compare_level level);
void compare_judge_paths(struct compare_build *b);
/*
 * Compute q, verdicts and counts of @t. @margin_pct: changes up to this percentage of a row's a
 * count as the same, and all tests have equal weight. 0: compare.margin is used, and tests are
 * weighted by share.
 */
void compare_verdicts(struct compare *c, struct compare_table *t, double margin_pct);

#endif
