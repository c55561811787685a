/* SPDX-License-Identifier: MIT */
/*
 * hidden_calls.h - estimate the calls that a depth limit kept out of a function graph
 *
 * The option max_graph_depth N limits the number of levels. In such a limited trace, calls at the
 * deepest level appear as leaves, because their callees are hidden. A hidden call still enters the
 * tracer, which returns without a record. This time is part of its callers' durations. The limited
 * trace does not show the number of hidden calls. It can be estimated from a complete trace: a
 * second trace of the same work without the limit. For a function that is also called above the
 * deepest level, no complete trace is needed.
 *
 * The estimate for a call at the deepest level comes from calls on the same path (its callers and
 * itself) in the complete trace. If both traces have the same number of calls on that path, they
 * are matched one by one; else the mean and variance are used. If the complete trace has no call on
 * that path, all calls of the function are used. Interrupts below a call are not counted, and their
 * time is not compared.
 *
 * Cost: O(calls) and a sort of the calls at the deepest level. Temporary memory: 13 bytes a call of
 * the complete trace, 24 a call at the deepest level of either trace; result: 12 bytes a call of
 * the limited trace and 32 a symbol.
 */
#ifndef ANALYSES_HIDDEN_CALLS_H
#define ANALYSES_HIDDEN_CALLS_H

#include "base/str.h"
#include "base/vec.h"

struct capture;

/* maximum number of levels of a limited trace; ftrace itself stores at most 50 */
#define HIDDEN_LEVELS_MAX 64u
#define HIDDEN_PATHS_MAX  (UINT32_C(1) << 20)

/*
 * The subtree of each call, without interrupts. The arrays are indexed by call and saturate at
 * UINT32_MAX.
 */
struct calls_quiet {
	uint32_t *n;      /* number of calls in the subtree, without the call itself */
	uint32_t *irq_ns; /* time of the interrupts in the subtree, in ns */
	uint8_t *sleeps;  /* the call or one of its callees gives up the CPU */
};

/*
 * Compute the arrays for @capture. Owner: caller, calls_quiet_fini(). Cost: O(calls), 9 bytes a
 * call.
 */
void calls_quiet_init(struct calls_quiet *q, const struct capture *capture);
void calls_quiet_fini(struct calls_quiet *q);

/* An estimated number of hidden calls: its mean `n` and its variance. NAN: unknown. */
struct hidden_sum {
	double n;
	double var;
};

/*
 * The time by which a hidden call is cheaper than a recorded one, from one comparison. The same
 * call takes longer in the complete trace than in the limited trace, because the tracer records its
 * callees only in the complete trace.
 */
struct hidden_point {
	double each_ns; /* the difference, divided by the number of hidden calls, in ns */
	double weight;  /* number of hidden calls from which each_ns was computed */
};

struct hidden_points {
	VEC(struct hidden_point) points;
};

struct hidden_calls {
	uint32_t levels; /* number of levels of the limited trace; 0: not analysed */
	/* indexed by call: number of hidden calls in its subtree; NAN: unknown */
	double *n;
	float *var; /* indexed by call: variance of the estimate `n` */
	/*
	 * indexed by symbol: number of hidden calls below the function's topmost calls, those
	 * without a timed caller of the same function
	 */
	struct hidden_sum *totals;
	/*
	 * indexed by symbol: number of hidden calls below the function's calls at the deepest level
	 */
	struct hidden_sum *selfs;
	struct hidden_sum topmost; /* number of hidden calls below calls without a timed caller */
	/* number of calls at the deepest level, below which calls may be hidden */
	uint64_t cut;
	/* number of calls at the deepest level whose path is in the complete trace */
	uint64_t on_path;
	/*
	 * number of calls at the deepest level whose path the complete trace lacks: estimated from
	 * all calls of their function
	 */
	uint64_t by_name;
	uint64_t unknown; /* number of calls at the deepest level without an estimate */
};

/*
 * The number that follows one of @words in a command line, such as 3 in "--max-depth 3"; 0: none.
 * The array ends with NULL.
 */
uint64_t hidden_calls_number(struct str command, const char *const *words);

/*
 * Number of levels of a trace whose depth limit may hide calls; 0: no limit. The limit comes from
 * the command line. Without one, the limit is recognised by many calls at the deepest level.
 */
uint32_t hidden_calls_levels(const struct capture *capture);

/*
 * Estimate how many calls are hidden below the @levels levels of the trace @cut. The estimate comes
 * from the trace @complete, which may be @cut itself. Differences between the durations in both
 * traces are appended to @points; they show how much cheaper a hidden call is than a recorded one.
 * False: too many levels or paths; @ret is then zeroed. Owner of @ret: caller, hidden_calls_fini();
 * of @points: caller, VEC_FREE.
 */
bool hidden_calls_count(const struct capture *complete, const struct capture *cut, uint32_t levels,
			struct hidden_calls *ret, struct hidden_points *points);
void hidden_calls_fini(struct hidden_calls *h);

/*
 * Quantile @q of hidden_point.each_ns, weighted by hidden_point.weight; 0: there are no points.
 * Sorts @points.
 */
double hidden_points_quantile(struct hidden_points *points, double q);

#endif
