/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.h - estimate the tracing overhead from a function graph alone
 *
 * The model assumes the same two costs for every call of a trace:
 *
 *     printed(call) = own work + inside + sum over direct callees (printed + outside)
 *
 * `inside` is the tracer's time between its two time stamps; the shortest leaf call is an upper
 * bound. `outside` is the tracer's time before the first and after the second time stamp. It is
 * part of the caller's duration. An upper bound is the caller's self time divided by the number
 * of its direct callees. docs/tracer-cost.md explains the kernel's mechanism, the estimation, and
 * where the model is wrong.
 *
 * The lower end of the interval comes from the cheapest call. The upper end is the 20 % quantile
 * over calls. The estimate is the middle. There is no estimate (`why_not`) if the trace has too
 * few different calls, or none that does next to nothing.
 *
 * Cost: O(calls). Temporary memory: 16 bytes a symbol, and at most 16 MB for pairs of function
 * and number of callees.
 */
#ifndef ANALYSES_TRACER_COST_H
#define ANALYSES_TRACER_COST_H

#include "analyses/calls/hidden_calls.h"

struct calls_summary;
struct capture;

#define TRACER_COST_SHAPES_MAX (UINT32_C(1) << 18)

/* A time with its interval, in nanoseconds. */
struct tracer_span {
	double ns;
	double low_ns;
	double high_ns;
};

struct tracer_cost {
	/* NULL: there is an estimate; else the reason why not, and all costs below are 0 */
	const char *why_not;
	struct tracer_span leaf; /* overhead inside a call's own duration: `inside` */
	/* overhead of a call within its caller's duration: `inside` + `outside` */
	struct tracer_span nested;
	struct tracer_span total; /* overhead in the duration of all topmost calls */
	/* overhead per call hidden by the depth limit; unknown unless has_hidden */
	struct tracer_span hidden;
	double noise_ns;         /* how much the overhead varies from call to call */
	uint64_t leaf_functions; /* number of functions with leaf calls */
	/* number of distinct pairs of function and number of direct callees */
	uint64_t shapes;
	uint64_t points;         /* number of calls that belong to a shape */
	uint64_t shapes_skipped; /* number of calls of shapes beyond the limit */
	/*
	 * Depth at which the trace seems to be limited (max_graph_depth); 0: no limit is visible.
	 * Deeper calls also cost tracing time. They are not in the trace, so their overhead is
	 * not subtracted.
	 */
	uint32_t cut_depth;
	bool has_hidden; /* `hidden` is known and included in `total` */
	bool is_given;   /* measured or set by the user, not estimated */
};

/* A measured overhead, or one set by the user, instead of an estimate. */
struct tracer_cost_given {
	/*
	 * overhead inside the call's own duration; < 0: unknown, derived from `nested` and the
	 * trace
	 */
	double leaf_ns;
	struct tracer_span nested;
	uint64_t calls; /* number of measured calls; 0: set by the user */
	char function[64];
	char kernel[160];
};

/* Estimate the overhead. @sum must belong to @capture. */
void tracer_cost_estimate(const struct capture *capture, const struct calls_summary *sum,
			  struct tracer_cost *ret);

/* Take the overhead @given instead of an estimate. Only traces without durations are refused. */
void tracer_cost_take(const struct capture *capture, const struct calls_summary *sum,
		      const struct tracer_cost_given *given, struct tracer_cost *ret);

/* What was printed: total or self time. It decides which callees' overhead is subtracted. */
enum tracer_cost_kind {
	TRACER_COST_TOTAL, /* tracer_paid.below: number of calls at any depth below the @n calls */
	TRACER_COST_SELF,  /* tracer_paid.below: number of direct callees of the @n calls */
};

/* The calls whose overhead is part of a printed time. */
struct tracer_paid {
	uint64_t n;
	uint64_t below;
	/* hidden calls below these calls; their number is unknown if hidden.n is NAN */
	struct hidden_sum hidden;
};

/* The overhead in a printed time, without hidden calls of unknown number. */
struct tracer_span tracer_cost_of(const struct tracer_cost *cost, enum tracer_cost_kind kind,
				  const struct tracer_paid *paid);

/*
 * Subtract the overhead from @printed_ns; the result is at least 0. False: the rest is within the
 * noise, or the number of hidden calls is unknown. In the latter case, only @ret->high_ns is
 * valid.
 */
bool tracer_cost_without(const struct tracer_cost *cost, enum tracer_cost_kind kind,
			 uint64_t printed_ns, const struct tracer_paid *paid,
			 struct tracer_span *ret);

#endif
