/* SPDX-License-Identifier: MIT */
/*
 * tracer_cost.h - how much of a function graph is the tracer, from the trace alone
 *
 * The model, with the same two costs for every call of a trace:
 *
 *     printed(call) = its own work + inside + sum over calls below (printed + outside)
 *
 * `inside` is what the tracer does between the two times that it takes (the
 * shortest leaf bounds it), `outside` what it does before the first and after
 * the second, which the caller's duration holds (the self time of callers,
 * divided by the calls below them, bounds it). docs/tracer-cost.md says how the
 * kernel comes to this, how both are estimated, and where the model is wrong.
 *
 * The interval goes from the cheapest call seen to what one call in five beats;
 * the value is its middle. Where the trace has too few different calls, or none
 * that does next to nothing, nothing is claimed (`why_not`).
 *
 * Cost: O(calls). Memory while it runs: 8 bytes a call, 8 a symbol, and at most
 * 16 MB for pairs of function and number of calls below; nothing stays.
 */
#ifndef ANALYSES_TRACER_COST_H
#define ANALYSES_TRACER_COST_H

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/hidden_calls.h"

#define TRACER_COST_SHAPES_MAX (UINT32_C(1) << 18)

/* A time with its interval; nanoseconds. */
struct tracer_span {
	double ns;
	double low_ns;
	double high_ns;
};

struct tracer_cost {
	const char *why_not;     /* NULL: estimated; else a phrase, and all below is 0 */
	struct tracer_span leaf; /* inside a call's own duration */
	struct tracer_span
		nested; /* a call altogether, in its caller's duration: inside + outside */
	struct tracer_span total; /* in the topmost time of the trace */
	struct tracer_span
		hidden;  /* a call that the depth limit left out; 0: not known (has_hidden) */
	double noise_ns; /* by which one call's cost differs from another's */
	uint64_t leaf_functions; /* different functions with leaf calls */
	uint64_t shapes;         /* different pairs of function and calls below, looked at */
	uint64_t points;         /* calls behind them */
	uint64_t shapes_skipped; /* past the limit */
	/*
	 * The depth at which the trace looks cut off (max_graph_depth): calls below
	 * it cost the tracer time too, are not in the trace, and so are not taken
	 * out. 0: it does not look so.
	 */
	uint32_t cut_depth;
	bool has_hidden; /* `hidden` is known, and `total` holds it */
	bool is_given;   /* not estimated */
};

/* A cost that was measured or stated, in place of an estimate. */
struct tracer_cost_given {
	double leaf_ns; /* inside; < 0: not said, taken from the trace */
	struct tracer_span nested;
	uint64_t calls; /* measured; 0: stated */
	char function[64];
	char kernel[160];
};

/* @sum: of the same capture. */
void tracer_cost_estimate(const struct capture *capture, const struct calls_summary *sum,
			  struct tracer_cost *ret);

/* The same with a cost from elsewhere; only what the trace has no durations for is refused. */
void tracer_cost_take(const struct capture *capture, const struct calls_summary *sum,
		      const struct tracer_cost_given *given, struct tracer_cost *ret);

/* A sum of printed times, as the summary has them, that the tracer's cost is taken out of. */
enum tracer_cost_kind {
	TRACER_COST_TOTAL, /* @below: calls at any depth below the @n calls */
	TRACER_COST_SELF,  /* @below: calls directly below */
};

/* Calls whose tracing is in a printed time. */
struct tracer_paid {
	uint64_t n;
	uint64_t below;
	struct hidden_sum hidden; /* below them and not in the trace; n NAN: not known */
};

/* The tracer's cost in printed times. Calls that are not known are not in it. */
struct tracer_span tracer_cost_of(const struct tracer_cost *cost, enum tracer_cost_kind kind,
				  const struct tracer_paid *paid);

/*
 * What is left of @printed_ns without it, never below 0. False: what is left is
 * not above the noise, or calls of unknown number are in it; only @ret->high_ns
 * means something then.
 */
bool tracer_cost_without(const struct tracer_cost *cost, enum tracer_cost_kind kind,
			 uint64_t printed_ns, const struct tracer_paid *paid,
			 struct tracer_span *ret);

#endif
