/* SPDX-License-Identifier: MIT */
/*
 * tracer_joint.h - tracing overhead in traces of one workload at several depths
 *
 * A trace with a depth limit includes the overhead of calls that it does not list. A complete
 * trace of the same work provides their number (hidden_calls.h). The cost of one follows from
 * the times of the same calls in both: a hidden call saves `saving`, so it still costs `nested
 * - saving`.
 *
 * The complete trace provides inside and nested for all. `saving` is the median over pairs of
 * calls, weighted by hidden calls; its interval is the middle half. Traces whose medians are
 * within a tenth of `nested` share one.
 */
#ifndef ANALYSES_TRACER_JOINT_H
#define ANALYSES_TRACER_JOINT_H

#include "analyses/calls/hidden_calls.h"
#include "analyses/tracer/tracer_cost.h"

struct calls_summary;
struct capture;

enum tracer_role {
	TRACER_ALONE,    /* unrelated to the others */
	TRACER_COMPLETE, /* calibrates the others */
	TRACER_CUT,      /* calibrated by the complete trace */
};

struct tracer_joint {
	const struct capture *capture;   /* set by the caller */
	const struct calls_summary *sum; /* set by the caller */
	struct tracer_cost cost;         /* set by the caller for the trace alone; refined here */
	struct hidden_calls hidden;      /* TRACER_CUT, or a limited trace alone */
	struct hidden_points points;
	struct tracer_span saving; /* time saved per hidden call */
	bool is_filtered;          /* hidden calls have no overhead: a filter excluded them */
	uint64_t pairs;            /* compared calls, over all traces that share the saving */
	enum tracer_role role;
	/*
	 * Roots without disturbances of single calls (interrupts, a cold cache): each replaced
	 * by the median of its function and size, and added up. Available if the complete trace
	 * has the same calls.
	 */
	bool has_typical;
	struct tracer_span typical;
	double typical_printed_ns;
	const char *why_not; /* reason why calibration by the complete trace failed */
};

/*
 * Find the complete trace and calibrate the others by it. @complete: its index, which asserts
 * that the others are of the same work; or SIZE_MAX: the deepest unlimited one, for others that
 * have nearly all of their calls on its paths. Remaining limited traces are analysed alone
 * where possible.
 */
void tracer_joint_solve(struct tracer_joint *traces, size_t n, size_t complete);
/* Fill in typical* of both by pairs of roots; for tracer_joint.c. */
void tracer_typical(struct tracer_joint *complete, struct tracer_joint *cut);
void tracer_joint_fini(struct tracer_joint *trace);

#endif
