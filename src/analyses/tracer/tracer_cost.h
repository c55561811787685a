/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.h - estimate the tracing overhead from a function graph alone
 *
 * The model has the same two costs for every call of a trace:
 *
 *     printed(call) = own work + inside + sum over direct callees (printed + outside)
 *
 * `inside` is the tracer's time between its two time stamps; the shortest leaf bounds it.
 * `outside` is its time before the first and after the second, which is part of the caller's
 * duration. Callers' self time divided by the number of direct callees bounds it.
 * docs/tracer-cost.md explains the kernel's mechanism, the estimation, and where the model is
 * wrong.
 *
 * The interval ranges from the cheapest call to a value that one call in five is below; the
 * estimate is its middle. If the trace has too few different calls, or none that does next to
 * nothing, there is no estimate (`why_not`).
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

/* A time with its interval; nanoseconds. */
struct tracer_span {
	double ns;
	double low_ns;
	double high_ns;
};

struct tracer_cost {
	const char *why_not;     /* NULL: estimated; else the reason, and all fields below are 0 */
	struct tracer_span leaf; /* inside a call's own duration */
	struct tracer_span nested; /* per call in its caller's duration: inside + outside */
	struct tracer_span total;  /* in the trace's topmost time */
	struct tracer_span hidden; /* per call hidden by the depth limit; 0: unknown (has_hidden) */
	double noise_ns;           /* variation of the overhead from call to call */
	uint64_t leaf_functions;   /* different functions with leaf calls */
	uint64_t shapes;           /* distinct pairs of function and number of direct callees */
	uint64_t points;           /* number of calls in these */
	uint64_t shapes_skipped;   /* beyond the limit */
	/*
	 * Depth at which the trace seems limited (max_graph_depth). Deeper calls cost tracing
	 * time too, but are not in the trace, so their overhead is not subtracted. 0: no limit
	 * visible.
	 */
	uint32_t cut_depth;
	bool has_hidden; /* `hidden` is known and included in `total` */
	bool is_given;   /* given, not estimated */
};

/* A measured or given overhead, instead of an estimate. */
struct tracer_cost_given {
	double leaf_ns; /* part inside the call's own duration; < 0: unknown, estimated from the
			   trace */
	struct tracer_span nested;
	uint64_t calls; /* number of measured calls; 0: given by the user */
	char function[64];
	char kernel[160];
};

/* @sum: of the same capture. */
void tracer_cost_estimate(const struct capture *capture, const struct calls_summary *sum,
			  struct tracer_cost *ret);

/* The same with a given overhead; refuses only traces without durations. */
void tracer_cost_take(const struct capture *capture, const struct calls_summary *sum,
		      const struct tracer_cost_given *given, struct tracer_cost *ret);

/* Kind of a printed sum from which overhead is subtracted. */
enum tracer_cost_kind {
	TRACER_COST_TOTAL, /* @below: calls at any depth below the @n calls */
	TRACER_COST_SELF,  /* @below: calls directly below */
};

/* Calls whose overhead is in a printed time. */
struct tracer_paid {
	uint64_t n;
	uint64_t below;
	struct hidden_sum hidden; /* hidden calls below them; n NAN: unknown */
};

/* The overhead in printed times, without calls of unknown number. */
struct tracer_span tracer_cost_of(const struct tracer_cost *cost, enum tracer_cost_kind kind,
				  const struct tracer_paid *paid);

/*
 * @printed_ns less the overhead, at least 0. False: the rest is within the noise, or an unknown
 * number of calls contributes; only @ret->high_ns is then valid.
 */
bool tracer_cost_without(const struct tracer_cost *cost, enum tracer_cost_kind kind,
			 uint64_t printed_ns, const struct tracer_paid *paid,
			 struct tracer_span *ret);

#endif
