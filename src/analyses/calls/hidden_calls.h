/* SPDX-License-Identifier: MIT */
/*
 * hidden_calls.h - calls that a depth limit left out of a function graph
 *
 * With max_graph_depth N, calls at the deepest level appear as leaves. Their callees still
 * enter the tracer, which returns without a record, and that time is in their durations. The
 * number of these calls is not in the trace. It can be found in another trace of the same work
 * without the limit, or, for functions called at several levels, in the same trace.
 *
 * A call at the deepest level gets the number from calls on the same path (its callers and
 * itself) in the complete trace: one by one if both traces have equally many, else their mean
 * and variance. If no call has that path, all calls of the function are used. Interrupts below
 * are not counted, and their time is not compared.
 *
 * Cost: O(calls) and a sort of the calls at that level. Temporary memory: 13 bytes a call of
 * the complete trace, 24 a call at that level of both; result: 12 bytes a call of the limited
 * trace and 32 a symbol.
 */
#ifndef ANALYSES_HIDDEN_CALLS_H
#define ANALYSES_HIDDEN_CALLS_H

#include "base/str.h"
#include "base/vec.h"

struct capture;

/* ftrace keeps 50 levels; a higher limit hides nothing. */
#define HIDDEN_LEVELS_MAX 64u
#define HIDDEN_PATHS_MAX  (UINT32_C(1) << 20)

/* By call: its subtree without interrupts. Values saturate at UINT32_MAX. */
struct calls_quiet {
	uint32_t *n;      /* number of calls */
	uint32_t *irq_ns; /* time of interrupts */
	uint8_t *sleeps;  /* it or a callee gives up the CPU */
};

/* Owner: caller, calls_quiet_fini(). Cost: O(calls), 9 bytes a call. */
void calls_quiet_init(struct calls_quiet *q, const struct capture *capture);
void calls_quiet_fini(struct calls_quiet *q);

/* Number of hidden calls, mean and variance. NAN: unknown. */
struct hidden_sum {
	double n;
	double var;
};

/* Times of the same calls with and without the limit. */
struct hidden_point {
	double each_ns; /* difference per hidden call */
	double weight;  /* number of hidden calls */
};

struct hidden_points {
	VEC(struct hidden_point) points;
};

struct hidden_calls {
	uint32_t levels;           /* levels in the limited trace; 0: not analysed */
	double *n;                 /* by call: hidden calls in its subtree; NAN: unknown */
	float *var;                /* by call */
	struct hidden_sum *totals; /* by symbol: below its topmost calls */
	struct hidden_sum *selfs;  /* by symbol: directly below calls at the deepest level */
	struct hidden_sum topmost; /* in the topmost time of the trace */
	uint64_t cut;              /* calls at the deepest level */
	uint64_t on_path;          /* those on a path that the complete trace has */
	uint64_t by_name;          /* others: counted by the function's other calls */
	uint64_t unknown;          /* the rest: unknown */
};

/* The number after the first of @words (NULL-terminated) in a command line, or 0. */
uint64_t hidden_calls_number(struct str command, const char *const *words);

/*
 * Number of levels if the trace has a depth limit that may hide calls: by its command line, or
 * by its shape. 0: no limit.
 */
uint32_t hidden_calls_levels(const struct capture *capture);

/*
 * Count the calls hidden in @cut below @levels levels, from @complete, which may be @cut
 * itself. Appends to @points what both traces imply about the overhead. False: too many levels
 * or paths; @ret is zeroed. Owner of @ret: caller, hidden_calls_fini(); of @points: VEC_FREE.
 */
bool hidden_calls_count(const struct capture *complete, const struct capture *cut, uint32_t levels,
			struct hidden_calls *ret, struct hidden_points *points);
void hidden_calls_fini(struct hidden_calls *h);

/* Weighted quantile of @points, which it sorts. No points: 0. */
double hidden_points_quantile(struct hidden_points *points, double q);

#endif
