/* SPDX-License-Identifier: MIT */
/*
 * tracer_joint.h - tracing overhead in several traces of one workload with different depths
 *
 * The times in a trace with a depth limit include the overhead of calls that the trace does not
 * list. A complete trace of the same work shows the number of these hidden calls (hidden_calls.h).
 * The cost of a hidden call follows from the durations of the same calls in both traces: a hidden
 * call costs `saving` less than a listed one, that is `nested - saving`.
 *
 * The complete trace gives `inside` and `nested` for all traces. Each pair of the same call in both
 * traces gives a value of `saving`. The median of these values, weighted by the number of hidden
 * calls, is used; its interval is the middle half of the values. Traces whose medians differ by
 * less than a tenth of `nested` share a common value.
 */
#ifndef ANALYSES_TRACER_JOINT_H
#define ANALYSES_TRACER_JOINT_H

#include "analyses/calls/hidden_calls.h"
#include "analyses/tracer/tracer_cost.h"

struct calls_summary;
struct capture;

enum tracer_role {
	TRACER_ALONE,    /* the trace is not related to the other traces */
	TRACER_COMPLETE, /* the complete trace; the overhead in the others is computed from it */
	TRACER_CUT,      /* a limited trace, for which the complete trace gives the overhead */
};

struct tracer_joint {
	const struct capture *capture;   /* set by the caller */
	const struct calls_summary *sum; /* set by the caller */
	/*
	 * set by the caller from this trace alone; tracer_joint_solve() replaces it by a better
	 * value
	 */
	struct tracer_cost cost;
	/* known for TRACER_CUT, and for a limited trace that is analysed alone */
	struct hidden_calls hidden;
	struct hidden_points points;
	struct tracer_span saving; /* time by which a hidden call is cheaper than a listed one */
	/* a filter excluded the hidden calls from tracing, so they have no overhead */
	bool is_filtered;
	/* number of calls that were compared to find `saving`, in all traces that share it */
	uint64_t pairs;
	enum tracer_role role;
	/*
	 * the complete trace has the same roots (calls without a caller), so `typical` and
	 * `typical_printed_ns` are known: sums over all roots. An interrupt or a cold cache may
	 * have made a root slow. So instead of its own time, the median time of similar roots (same
	 * function, similar size) is added
	 */
	bool has_typical;
	/* sum of the typical times of all roots, without the tracing overhead */
	struct tracer_span typical;
	/* sum of the typical times of all roots, with the tracing overhead */
	double typical_printed_ns;
	/* reason why the complete trace could not be used for this trace; NULL: none */
	const char *why_not;
};

/*
 * Find the complete trace, and use it to compute the overhead of the other traces. @complete: index
 * of the complete trace; the caller thereby asserts that all traces show the same work. SIZE_MAX:
 * the deepest trace without a depth limit is tried. It is used for each trace if it has nearly all
 * paths of that trace. Any other trace with a depth limit is analysed alone, if possible.
 */
void tracer_joint_solve(struct tracer_joint *traces, size_t n, size_t complete);
/*
 * Compute the members typical* of both traces, from pairs of roots. Called by tracer_joint.c only.
 */
void tracer_typical(struct tracer_joint *complete, struct tracer_joint *cut);
void tracer_joint_fini(struct tracer_joint *trace);

#endif
