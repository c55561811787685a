/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.h - estimate the tracing overhead from a function graph alone
 *
 * The model assumes that the tracer adds the same two costs to every call of a trace:
 *
 *     printed(call) = own work + inside + sum over direct callees (printed + outside)
 *
 * `inside` is the time that the tracer takes between the two time stamps of a call; the shortest
 * leaf call is an upper bound. `outside` is the time that it takes before the first and after the
 * second time stamp. It is part of the caller's duration. The caller's self time, divided by the
 * number of its direct callees, is an upper bound of `outside`. docs/tracer-cost.md explains the
 * kernel's mechanism, the estimation, and where the model is wrong.
 *
 * The cheapest call gives the lower end of the interval, and the 20 % quantile over calls the upper
 * end. The estimate is the middle. There is no estimate (`why_not`) if the trace has too few
 * different calls, or no calls that hardly do any work.
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
	/* reason why there is no estimate, and all costs are 0; NULL: there is one */
	const char *why_not;
	struct tracer_span leaf; /* overhead within the call's own duration: `inside` */
	/* overhead within the caller's duration, of one call: `inside` + `outside` */
	struct tracer_span nested;
	/* overhead of all calls, within the durations of calls without a timed caller */
	struct tracer_span total;
	/* overhead of a call that the depth limit keeps out of the trace; valid if has_hidden */
	struct tracer_span hidden;
	double noise_ns; /* by how much the overhead varies from call to call, in ns */
	/* number of functions that have leaf calls (calls without callees) */
	uint64_t leaf_functions;
	/* number of different shapes: pairs of function and number of direct callees */
	uint64_t shapes;
	uint64_t points; /* number of calls in all shapes */
	/* number of calls without a shape, because there are too many shapes */
	uint64_t shapes_skipped;
	/*
	 * depth at which the trace seems to be limited (max_graph_depth); 0: it is not. The
	 * overhead of deeper calls is in the printed times, but is not subtracted, because the
	 * trace does not show these calls
	 */
	uint32_t cut_depth;
	bool has_hidden; /* `hidden` is known and included in `total` */
	bool is_given;   /* measured, or set by the user, instead of estimated */
};

/* Overhead that was measured or set by the user, to be used instead of an estimate. */
struct tracer_cost_given {
	/* overhead within the call's own duration; < 0: unknown, half of `nested` is assumed */
	double leaf_ns;
	struct tracer_span nested;
	uint64_t calls; /* number of calls in the measurement; 0: the user set the value */
	char function[64];
	char kernel[160];
};

/* Estimate the overhead of the trace @capture. @sum: the summary of the same capture. */
void tracer_cost_estimate(const struct capture *capture, const struct calls_summary *sum,
			  struct tracer_cost *ret);

/*
 * Compute the overhead from @given. If the trace has leaf calls shorter than @given->leaf_ns, the
 * estimate from the trace replaces this member. If no call has a duration, the result is that of
 * tracer_cost_estimate().
 */
void tracer_cost_take(const struct capture *capture, const struct calls_summary *sum,
		      const struct tracer_cost_given *given, struct tracer_cost *ret);

/* Kinds of printed times. The kind determines which calls have their overhead in the time. */
enum tracer_cost_kind {
	/* total time: tracer_paid.below is the number of calls at any depth below the @n calls */
	TRACER_COST_TOTAL,
	/* self time: tracer_paid.below is the number of direct callees of the @n calls */
	TRACER_COST_SELF,
};

/* Numbers of calls whose overhead is in a printed time. */
struct tracer_paid {
	uint64_t n;
	uint64_t below;
	/* number of hidden calls below the @n calls; hidden.n is NAN if it is unknown */
	struct hidden_sum hidden;
};

/* The overhead in a printed time. Hidden calls of unknown number are not included. */
struct tracer_span tracer_cost_of(const struct tracer_cost *cost, enum tracer_cost_kind kind,
				  const struct tracer_paid *paid);

/*
 * Subtract the overhead from @printed_ns; the result is at least 0. False: the result is within the
 * noise; or the number of hidden calls is unknown, and only @ret->high_ns is valid.
 */
bool tracer_cost_without(const struct tracer_cost *cost, enum tracer_cost_kind kind,
			 uint64_t printed_ns, const struct tracer_paid *paid,
			 struct tracer_span *ret);

#endif
