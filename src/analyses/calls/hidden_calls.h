/* SPDX-License-Identifier: MIT */
/*
 * hidden_calls.h - calls that a depth limit left out of a function graph
 *
 * With max_graph_depth N the calls at the deepest level stand there as leaves.
 * What they call still enters the tracer, which leaves without a record, and
 * that time is in their durations. How many calls it were is not in the trace;
 * it is in another trace of the same work without the limit, or, for functions
 * that are called at several levels, in the same trace.
 *
 * A call at the deepest level takes the number from calls on the same path (the
 * functions above it and its own) in the complete trace: one by one where both
 * traces have equally many, else their mean and its variance; where no call has
 * that path, from all calls of the function.
 * Interrupts below are not counted, and their time is not compared.
 *
 * Cost: O(calls) and a sort of the calls at that level. Memory while it runs: 13
 * bytes a call of the complete trace, 24 a call at that level of both; what
 * stays is 12 bytes a call of the cut one and 32 a symbol.
 */
#ifndef ANALYSES_HIDDEN_CALLS_H
#define ANALYSES_HIDDEN_CALLS_H

#include "core/capture.h"

/* ftrace keeps 50 levels; a limit beyond that hides nothing. */
#define HIDDEN_LEVELS_MAX 64u
#define HIDDEN_PATHS_MAX  (UINT32_C(1) << 20)

/* By call: what is below it without interrupts. Numbers stop at UINT32_MAX. */
struct calls_quiet {
	uint32_t *n;      /* calls */
	uint32_t *irq_ns; /* time of interrupts */
	uint8_t *sleeps;  /* it, or a call below, gives the CPU away */
};

/* Owner: caller, calls_quiet_fini(). Cost: O(calls), 9 bytes a call. */
void calls_quiet_init(struct calls_quiet *q, const struct capture *capture);
void calls_quiet_fini(struct calls_quiet *q);

/* How many hidden calls. NAN: not known. */
struct hidden_sum {
	double n;
	double var;
};

/* What the same calls took with and without the limit. */
struct hidden_point {
	double each_ns; /* of the difference, by hidden call */
	double weight;  /* hidden calls */
};

struct hidden_points {
	VEC(struct hidden_point) points;
};

struct hidden_calls {
	uint32_t levels;           /* that the cut trace has; 0: nothing was looked at */
	double *n;                 /* by call: hidden below it, at any level; NAN: not known */
	float *var;                /* by call */
	struct hidden_sum *totals; /* by symbol: below its topmost calls */
	struct hidden_sum *selfs;  /* by symbol: right below calls of the deepest level */
	struct hidden_sum topmost; /* in the topmost time of the trace */
	uint64_t cut;              /* calls at the deepest level */
	uint64_t on_path;          /* of them on a path that the complete trace has */
	uint64_t by_name;          /* of the others: counted by the function's other calls */
	uint64_t unknown;          /* the rest */
};

/* The number behind the first of @words (NULL-terminated) in a command line, or 0. */
uint64_t hidden_calls_number(struct str command, const char *const *words);

/*
 * How many levels the trace has where it was made with a depth limit that may
 * have hidden calls: by its command line, or because it looks cut. 0: it does not.
 */
uint32_t hidden_calls_levels(const struct capture *capture);

/*
 * Count what is hidden in @cut below @levels levels, from @complete, which may be
 * @cut itself, and append to @points what both say of the cost.
 * False: more levels or paths than are looked at; @ret is zeroed.
 * Owner of @ret: caller, hidden_calls_fini(); of @points: VEC_FREE.
 */
bool hidden_calls_count(const struct capture *complete, const struct capture *cut, uint32_t levels,
			struct hidden_calls *ret, struct hidden_points *points);
void hidden_calls_fini(struct hidden_calls *h);

/* Weighted quantiles of @points in order; @points is sorted. No points: 0. */
double hidden_points_quantile(struct hidden_points *points, double q);

#endif
