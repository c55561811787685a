/* SPDX-License-Identifier: MIT */
/*
 * tracer_joint.h - the tracer's cost in traces of one workload at several depths
 *
 * A trace with a depth limit holds the cost of calls that are not in it. Beside a
 * complete trace of the same work their number is known (hidden_calls.h), and
 * what one of them costs follows from what the same calls took in both: a call
 * that is left out saves `saving`, so it still costs `nested - saving`.
 *
 * The complete trace gives inside and nested for all of them. `saving` is the
 * median over pairs of calls, weighted by hidden calls, its interval the middle
 * half; traces whose own medians lie within a tenth of `nested` share one.
 */
#ifndef ANALYSES_TRACER_JOINT_H
#define ANALYSES_TRACER_JOINT_H

#include "analyses/tracer/tracer_cost.h"

enum tracer_role {
	TRACER_ALONE,    /* nothing to do with the others */
	TRACER_COMPLETE, /* the others are measured by it */
	TRACER_CUT,      /* measured by the complete one */
};

struct tracer_joint {
	const struct capture *capture;   /* set by the caller */
	const struct calls_summary *sum; /* set by the caller */
	struct tracer_cost cost;         /* set by the caller: of the trace alone; improved */
	struct hidden_calls hidden;      /* TRACER_CUT, or of a cut trace alone */
	struct hidden_points points;
	struct tracer_span saving; /* of a call that is left out */
	bool is_filtered;          /* what it lacks cost nothing: it was not traced at all */
	uint64_t pairs; /* calls that were compared for it, of all traces that share it */
	enum tracer_role role;
	/*
	 * The roots without what hit single calls (interrupts, a cold cache): each as
	 * the median of those of its function and size, added up. Where the complete
	 * trace has the same calls.
	 */
	bool has_typical;
	struct tracer_span typical;
	double typical_printed_ns;
	const char *why_not; /* a phrase: it was to be measured by the complete one, and was not */
};

/*
 * Find the complete trace and measure the others by it. @complete: its number,
 * which says that the others are of the same work; or SIZE_MAX: the deepest one
 * that is not cut, for others that have nearly all of their calls on its paths.
 * Cut traces that stay alone are counted by themselves as far as that goes.
 */
void tracer_joint_solve(struct tracer_joint *traces, size_t n, size_t complete);
/* Fill typical* of both, by pairs of roots; for tracer_joint.c. */
void tracer_typical(struct tracer_joint *complete, struct tracer_joint *cut);
void tracer_joint_fini(struct tracer_joint *trace);

#endif
