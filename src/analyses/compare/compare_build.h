/* SPDX-License-Identifier: MIT */
/* compare_build.h - state and functions that the files compare*.c share; private to them */
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

/*
 * One capture of a side. Weights are in the capture's unit. The compared value is weight * scale /
 * divisor.
 */
struct compare_run {
	const struct capture *capture;
	const struct profile *profile;
	bool from_samples; /* false: the profile is a printed report and has rows */
	/* weight of one sample; 0: each entry of the profile is one sample with its own weight */
	double grain;
	double total;         /* sum of all weights, also of samples that belong to no row */
	double total_squares; /* sum of squares of sample weights; NaN: number of samples unknown */
	double samples;       /* number of samples of the run; NaN: unknown */
	double shown;         /* of a printed report: weight of all rows */
	double seconds;       /* recorded time in seconds; NaN: samples have no times */
	double scale;         /* factor from weights to the unit compare.unit */
	double divisor;       /* compared value = weight * scale / divisor */
	/* COMPARE_ANCHOR: weight of the samples with the anchor function on their stack */
	double anchor;
	double anchor_squares;
	/*
	 * of a printed report: upper bound for the self weight of a function that the report leaves
	 * out
	 */
	double bound;
	/*
	 * of a printed report: upper bound for the weight with callees of a function that the
	 * report leaves out
	 */
	double bound_children;
	/* of a printed report: upper bound for the sum of all weights that the report leaves out */
	double missing;
	/*
	 * indexed by stack node: 1 if the anchor function is on this stack; NULL: there is no
	 * anchor, or the run is a printed report
	 */
	uint8_t *has_anchor;
	/* indexed by stack node: id of the stack in compare_build.stacks; NULL: not computed yet */
	uint32_t *stack_of;
};

/* The stacks of both sides, as one tree whose nodes are functions. */
struct compare_stacks {
	VEC(uint32_t) parent; /* indexed by stack id; 0 is the root */
	VEC(uint32_t) function;
	struct idmap map;
};

/*
 * The values of one side in one table (functions, objects, …), combined over the side's runs.
 * Arrays are indexed by row.
 */
struct compare_cells {
	double *value;
	double *variance; /* variance that independent samples would have; NaN: unknown */
	/* range of the true value before rounding: from value - low to value + high */
	double *low;
	double *high;
	/* runs[row * n + run]: value of each of the side's n runs; NULL: there is one run */
	double *runs;
	bool *is_there;
	/*
	 * sample size (stats_side.size) for a row without a variance of its own, such as a row that
	 * this side lacks; 0: unknown
	 */
	double size;
};

/* Sums weights by row: maps the stack nodes of a run to rows of a table. */
struct compare_walk {
	const struct compare_run *run;
	uint32_t *row; /* indexed by stack node: its row; INDEX_NONE: none */
	bool is_children;
	/*
	 * only if is_children. Indexed by stack node: 1 if no caller of the node belongs to the
	 * same row
	 */
	uint8_t *is_topmost;
	/*
	 * indexed by stack node: weights while one sum is computed. After the sum, all are zero
	 * again, except the root's
	 */
	double *weight;
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
	/* reason why weights with callees, and stacks, cannot be compared; NULL: they can */
	const char *chains_differ;
	/*
	 * square of the relative standard deviation of a run's total: 0.0009 if totals vary by 3 %
	 * from run to run. It is added to the variance from sampling. 0: nothing is added
	 */
	double run_variance;
	uint32_t anchor; /* index of the anchor function in names.functions; INDEX_NONE: none */
	/* for a side with a single run: indices of its samples, sorted by time slice */
	uint32_t *order[2];
	/* index in `order` at which each slice starts; n_slices + 1 entries */
	size_t *slice_start[2];
	unsigned int n_slices; /* number of time slices; 0: the recordings are not divided */
};

/* The next functions are in compare_collect.c. */
/* Read a run. False: the run has neither samples nor usable rows. */
bool compare_run_init(struct compare_run *r, const struct capture *c);
void compare_run_fini(struct compare_run *r);
/* Reason why a run has no data for the table of @level; NULL: it has data. */
const char *compare_run_lacks(const struct compare_run *r, enum compare_level level);
uint32_t compare_row_count(struct compare_build *b, enum compare_level level);
void compare_walk_init(struct compare_walk *w, struct compare_build *b, struct compare_run *r,
		       enum compare_level level);
void compare_walk_fini(struct compare_walk *w);
typedef struct {
	uint32_t *data;
	size_t len;
} compare_list;
/*
 * Add samples to the sums of their rows. The samples are order[from] to order[to - 1]; if @order is
 * NULL, they are numbers @from to @to - 1. @sum receives the weights, @squares their squares.
 * @anchored receives only the squares of samples with the anchor function on their stack. @touched
 * receives each row whose sum was 0. @squares, @anchored and @touched may be NULL.
 */
void compare_walk_add(struct compare_walk *w, const uint32_t *order, size_t from, size_t to,
		      double *sum, double *squares, double *anchored, compare_list *touched);
/* Fraction of a run's weight in functions whose object is unknown on both sides. */
double compare_without_object(const struct compare_build *b, const struct compare_run *r);
void compare_anchor(struct compare_build *b, struct compare_run *r);
void compare_cells_init(struct compare_cells *cells, struct compare_build *b, int side,
			enum compare_level level);
void compare_cells_fini(struct compare_cells *cells);
/* Convert a weight of the run @r to a value in the unit compare.unit. */
static inline double compare_value(const struct compare_run *r, double weight)
{
	return weight * r->scale / r->divisor;
}

/* The next functions are in compare_spread.c. */
/*
 * Choose the data that the variance of the differences is estimated from (enum compare_spread):
 * repeated runs, else time slices of the recordings. Without both, COMPARE_DISPERSION is assumed.
 * If time slices are chosen, divide the recordings into slices. The table of functions
 * (COMPARE_SYMBOL) must have been computed.
 */
void compare_spread_init(struct compare_build *b);
void compare_spread_fini(struct compare_build *b);
/*
 * For each row, estimate the overdispersion of its difference: the variance divided by that of
 * independent samples. *@ret_ratio: the estimates; *@ret_df: their degrees of freedom; both indexed
 * by row.
 */
void compare_spread(struct compare_build *b, enum compare_level level,
		    const struct compare_cells *a, const struct compare_cells *c, uint32_t n_rows,
		    double *ret_ratio, double *ret_df);

/* The next functions are in compare_whole.c. */
/* Compare the totals of whole runs. */
void compare_wholes(struct compare_build *b);
/* Split the change of a total into the contributions of functions. Needs compare.tables. */
void compare_parts(struct compare_build *b);
/* The run's total event count, in the event's unit; NaN: unknown. */
double compare_events_of(const struct compare_run *r);
/* Whether the weights or the printed event count of @c are nanoseconds. */
bool compare_counts_ns(const struct capture *c);

/* Whether callers are reliable: few call chains are broken or lack their innermost caller. */
bool compare_has_callers(const struct compare_build *b);
struct compare_callee {
	struct str name, dso;
	double factor[2];
	double total;
};
/*
 * Find the main caller of the function @f in the rows of the table COMPARE_STACK whose stack ends
 * with a call of @f. Each of these rows adds factor[0] * a + factor[1] * b to the amount of its
 * caller (a, b: the values of the row). The main caller has the largest absolute amount.
 * *@ret_part: the main caller's amount divided by f->total, the sum of all amounts. STR_NONE: there
 * is no caller, or its name is unknown. Cost: O(n + m log m) for n stacks, m of which end with a
 * call of @f.
 */
struct str compare_main_caller(const struct compare *c, const struct compare_callee *f,
			       double *ret_part);

/* compare_moves.c: find functions whose work moved to other functions. Needs compare.tables. */
void compare_moves(struct compare_build *b);

/* compare_bursts.c: find temporary changes. Needs samples with times on both sides. */
void compare_bursts(struct compare_build *b);

/* The next functions are in compare_judge.c. */
/*
 * Whether the two names may be one function: one name contains the other, and is at most twice as
 * long. Leading underscores and compiler suffixes do not count.
 */
bool compare_is_renamed(struct str from, struct str to);
void compare_judge(struct compare_build *b, enum compare_level level);
void compare_judge_paths(struct compare_build *b);
/*
 * Compute q and the verdict of each row of @t, and the number of rows with each verdict.
 * @margin_pct 0: changes up to compare.margin count as the same, and the tests of heavy rows have
 * larger weights (compare_row.weight). Otherwise: changes up to this percentage of the row's `a`
 * count as the same, and all tests have the same weight.
 */
void compare_verdicts(struct compare *c, struct compare_table *t, double margin_pct);

#endif
