/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.h - estimate the tracing overhead from a function graph alone
 *
 * The model assumes that the tracer adds the same two costs to every call of a trace:
 *
 *     printed(call) = own work + inside + sum over direct callees (printed + outside)
 *
 * `inside` is the overhead between the two time stamps of a call; the shortest leaf call is an
 * upper bound. `outside` is the overhead before the first and after the second time stamp. It is
 * part of the caller's duration. The caller's self time, divided by the number of its direct
 * callees, is an upper bound of `outside`. docs/tracer-cost.md explains the kernel's mechanism, the
 * estimation, and where the model is wrong.
 *
 * The cheapest call gives the lower end of the interval, and the 20 % quantile over calls the upper
 * end. The estimate is the middle. There is no estimate (`why_not`) if the trace has too few
 * different calls, or if all calls do much work of their own.
 *
 * Cost: O(calls). Temporary memory: 16 bytes a symbol, and at most 16 MB for pairs of function and
 * number of callees.
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
	/* reason why there is no estimate; all costs are then 0. NULL: there is an estimate */
	const char *why_not;
	struct tracer_span leaf; /* overhead within the call's own duration: `inside` */
	/* overhead that one call adds to its caller's duration: `inside` + `outside` */
	struct tracer_span nested;
	/*
	 * overhead in the sum of the durations of all topmost calls. A topmost call has no timed
	 * caller
	 */
	struct tracer_span total;
	/* overhead of a call that the depth limit keeps out of the trace; valid if has_hidden */
	struct tracer_span hidden;
	double noise_ns; /* variation of the overhead from call to call, in ns */
	/* number of functions that have leaf calls (calls without callees) */
	uint64_t leaf_functions;
	/* number of different shapes: pairs of function and number of direct callees */
	uint64_t shapes;
	uint64_t points; /* number of calls in all shapes */
	/* number of calls without a shape, because there are too many shapes */
	uint64_t shapes_skipped;
	/*
	 * depth limit (max_graph_depth) that the trace seems to have; 0: none. The overhead of
	 * deeper calls is in the printed times. It is not subtracted, because the trace does not
	 * show these calls
	 */
	uint32_t cut_depth;
	bool has_hidden; /* `hidden` is known and included in `total` */
	bool is_given;   /* the overhead was measured, or set by the user, instead of estimated */
};

/* Overhead that was measured or set by the user. It is used instead of an estimate. */
struct tracer_cost_given {
	/* overhead within the call's own duration; < 0: unknown, half of `nested` is assumed */
	double leaf_ns;
	struct tracer_span nested;
	uint64_t calls; /* number of measured calls; 0: the user set the value */
	char function[64];
	char kernel[160];
};

/* Estimate the overhead of the trace @capture. @sum must be its summary. */
void tracer_cost_estimate(const struct capture *capture, const struct calls_summary *sum,
			  struct tracer_cost *ret);

/*
 * Compute the overhead from @given. If the trace has leaf calls shorter than @given->leaf_ns, the
 * estimate from the trace replaces leaf_ns. If no call has a duration, the result is the same as
 * that of tracer_cost_estimate().
 */
void tracer_cost_take(const struct capture *capture, const struct calls_summary *sum,
		      const struct tracer_cost_given *given, struct tracer_cost *ret);

/*
 * Kinds of printed times. The kind determines for which calls a printed time includes the overhead.
 */
enum tracer_cost_kind {
	/*
	 * total time: tracer_paid.below is the number of all direct and indirect callees of the @n
	 * calls
	 */
	TRACER_COST_TOTAL,
	/* self time: tracer_paid.below is the number of direct callees of the @n calls */
	TRACER_COST_SELF,
};

/*
 * The calls whose overhead is included in a printed time: the `n` calls themselves, `below` callees
 * of these calls, and hidden calls. enum tracer_cost_kind shows which callees `below` counts.
 */
struct tracer_paid {
	uint64_t n;
	uint64_t below;
	/* number of hidden calls below the `n` calls; NAN: unknown */
	struct hidden_sum hidden;
};

/* The overhead in a printed time. Hidden calls are left out if their number is unknown. */
struct tracer_span tracer_cost_of(const struct tracer_cost *cost, enum tracer_cost_kind kind,
				  const struct tracer_paid *paid);

/*
 * Subtract the overhead from @printed_ns; the result is at least 0. False: the result is within the
 * noise, or the number of hidden calls is unknown. In the latter case only @ret->high_ns is valid.
 */
bool tracer_cost_without(const struct tracer_cost *cost, enum tracer_cost_kind kind,
			 uint64_t printed_ns, const struct tracer_paid *paid,
			 struct tracer_span *ret);

#endif
