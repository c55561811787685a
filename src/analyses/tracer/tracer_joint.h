/* SPDX-License-Identifier: MIT */
/*
 * tracer_joint.h - tracing overhead in several traces of one workload with different depths
 *
 * A trace with a depth limit includes the overhead of calls that it does not list. A complete
 * trace of the same work gives their number (hidden_calls.h). The cost of a hidden call follows
 * from the durations of the same calls in both traces: hiding a call saves `saving`, so the call
 * still costs `nested - saving`.
 *
 * The complete trace gives `inside` and `nested` for all traces. `saving` is the median over
 * pairs of calls, weighted by hidden calls; its interval is the middle half. Traces whose medians
 * differ by less than a tenth of `nested` use a common value.
 */
#ifndef ANALYSES_TRACER_JOINT_H
#define ANALYSES_TRACER_JOINT_H

#include "analyses/calls/hidden_calls.h"
#include "analyses/tracer/tracer_cost.h"

struct calls_summary;
struct capture;

enum tracer_role {
	TRACER_ALONE,    /* unrelated to the other traces */
	TRACER_COMPLETE, /* calibrates the other traces */
	TRACER_CUT,      /* calibrated by the complete trace */
};

struct tracer_joint {
	const struct capture *capture;   /* set by the caller */
	const struct calls_summary *sum; /* set by the caller */
	struct tracer_cost cost;         /* set by the caller for this trace alone; refined here */
	/* for TRACER_CUT, and for a limited trace analysed alone */
	struct hidden_calls hidden;
	struct hidden_points points;
	struct tracer_span saving; /* time saved by hiding a call */
	/* hidden calls cost nothing: a filter excluded them from tracing */
	bool is_filtered;
	/* number of compared calls, over all traces that use the same saving */
	uint64_t pairs;
	enum tracer_role role;
	/*
	 * Sum over the roots without disturbances of single calls (interrupts, a cold cache):
	 * each root counts with the median of its function and size. Known if the complete trace
	 * has the same roots.
	 */
	bool has_typical;
	struct tracer_span typical;
	double typical_printed_ns;
	const char *why_not; /* reason why the complete trace could not calibrate this one */
};

/*
 * Find the complete trace and calibrate the other traces with it. @complete: its index; the
 * caller then asserts that all traces show the same work. SIZE_MAX: take the deepest trace
 * without a limit, and calibrate only traces that have nearly all of their calls on its paths.
 * Remaining limited traces are analysed alone where possible.
 */
void tracer_joint_solve(struct tracer_joint *traces, size_t n, size_t complete);
/* Compute the typical* members of both traces from pairs of roots; for tracer_joint.c. */
void tracer_typical(struct tracer_joint *complete, struct tracer_joint *cut);
void tracer_joint_fini(struct tracer_joint *trace);

#endif
