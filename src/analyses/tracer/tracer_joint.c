/* SPDX-License-Identifier: MIT */
#include "analyses/tracer/tracer_joint.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/hidden_calls.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"

#include <math.h>

/*
 * a complete trace belongs to a limited trace only if it has the same paths for at least this
 * fraction of the limited trace's deepest calls. A path is a call with all its callers
 */
#define JOINT_SHARE_MIN 0.9
/*
 * Traces share a common saving if their savings differ by at most this fraction of `nested`. The
 * saving is the time by which a hidden call costs less than a listed one.
 */
#define JOINT_NEAR 0.1
/*
 * maximum number of calls in a limited trace without a complete one; each takes 25 bytes of memory
 */
#define JOINT_ALONE_MAX (UINT32_C(1) << 22)
/* if a hidden call costs less than this fraction of `nested`, a filter excluded it from tracing */
#define JOINT_NOTHING 0.02
/*
 * The shortest leaf call of a trace is an upper bound of `inside`. If it is less than this fraction
 * of `inside` of the complete trace, the two traces do not belong together: the machines or the
 * tracing options differ.
 */
#define JOINT_LEAF_LESS 0.8

static void joint_drop(struct tracer_joint *t, const char *why_not)
{
	hidden_calls_fini(&t->hidden);
	VEC_FREE(&t->points.points);
	t->role = TRACER_ALONE;
	t->why_not = why_not;
}

/* Compute the overhead in the total time of the trace, including that of hidden calls. */
static void joint_total(struct tracer_joint *t)
{
	const struct tracer_paid paid = {
		.n = t->sum->root_topmost,
		.below = t->sum->root_below - t->sum->root_topmost,
		.hidden = t->hidden.topmost,
	};

	t->cost.total = tracer_cost_of(&t->cost, TRACER_COST_TOTAL, &paid);
}

static bool joint_is_candidate(const struct tracer_joint *t)
{
	const struct calls *c = t->capture->calls;

	return c && t->sum && c->has_durations && !c->is_from_events && t->sum->root_topmost &&
	       t->capture->excerpt_of == INDEX_NONE;
}

static size_t joint_find_complete(const struct tracer_joint *traces, size_t n)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		if (!joint_is_candidate(&traces[i]) || traces[i].cost.why_not ||
		    traces[i].cost.cut_depth)
			continue;
		if (best == SIZE_MAX || traces[i].sum->max_depth > traces[best].sum->max_depth)
			best = i;
	}
	return best;
}

static uint64_t joint_shortest_leaf(const struct calls *c)
{
	uint64_t shortest = UINT64_MAX;

	for (size_t i = 0; i < c->n; i++) {
		uint64_t dur = calls_duration(c, (uint32_t)i);

		if ((c->state.data[i] & CALL_LEAF) && !(c->state.data[i] & CALL_NO_DURATION) &&
		    dur < shortest)
			shortest = dur;
	}
	return shortest;
}

/*
 * Estimate the calls that a depth limit hides in @t, from the trace @complete. @is_stated: the
 * caller of tracer_joint_solve() asserts that both traces show the same work.
 */
static void joint_match(struct tracer_joint *t, const struct tracer_joint *complete, bool is_stated)
{
	uint32_t levels = t->sum->max_depth + 1;

	if (!joint_is_candidate(t) || t->sum->max_depth >= complete->sum->max_depth)
		return;
	if (!hidden_calls_count(complete->capture, t->capture, levels, &t->hidden, &t->points)) {
		joint_drop(t, is_stated ? "it goes too deep, or has too many paths" : NULL);
		return;
	}
	if (!is_stated && (double)t->hidden.on_path < JOINT_SHARE_MIN * (double)t->hidden.cut) {
		joint_drop(t, NULL);
		return;
	}
	if (t->hidden.topmost.n == 0) {
		joint_drop(t, is_stated ? "it has all calls that the complete trace has" : NULL);
		return;
	}
	if (t->points.points.len == 0) {
		joint_drop(t, is_stated ? "none of its calls is in the complete trace" : NULL);
		return;
	}
	if ((double)joint_shortest_leaf(t->capture->calls) <
	    JOINT_LEAF_LESS * complete->cost.leaf.ns) {
		joint_drop(t, "a call in it costs less than in the complete trace: another "
			      "machine, or other options");
		return;
	}
	t->role = TRACER_CUT;
	t->saving.ns = hidden_points_quantile(&t->points, 0.5);
}

/*
 * Compute the cost of a hidden call in @t, from the saving of @t and of traces with a similar
 * saving.
 */
static void joint_cost(struct tracer_joint *t, const struct tracer_joint *traces, size_t n,
		       const struct tracer_cost *complete)
{
	struct hidden_points all = { VEC_INIT };
	struct tracer_span saving;
	struct tracer_cost *cost = &t->cost;
	uint32_t cut_depth = t->hidden.levels;

	for (size_t i = 0; i < n; i++) {
		if (traces[i].role != TRACER_CUT ||
		    fabs(traces[i].saving.ns - t->saving.ns) > JOINT_NEAR * complete->nested.ns)
			continue;
		VEC_FOREACH (p, &traces[i].points.points)
			*VEC_PUSH(&all.points) = *p;
	}
	saving = (struct tracer_span){
		.ns = hidden_points_quantile(&all, 0.5),
		.low_ns = hidden_points_quantile(&all, 0.25),
		.high_ns = hidden_points_quantile(&all, 0.75),
	};
	t->pairs = all.points.len;
	VEC_FREE(&all.points);
	*cost = *complete;
	cost->cut_depth = cut_depth;
	cost->has_hidden = true;
	cost->hidden = (struct tracer_span){
		.ns = fmax(cost->nested.ns - saving.ns, 0),
		.low_ns = fmax(cost->nested.low_ns - saving.high_ns, 0),
		.high_ns = fmax(cost->nested.high_ns - saving.low_ns, 0),
	};
	t->saving = saving;
	t->is_filtered = cost->hidden.ns < JOINT_NOTHING * cost->nested.ns;
	if (t->is_filtered) {
		cost->hidden = (struct tracer_span){ 0 };
		cost->cut_depth = 0;
	}
	joint_total(t);
}

/*
 * Analyse a limited trace without a complete one. Calls of one function at different depths are
 * compared.
 */
static void joint_alone(struct tracer_joint *t)
{
	struct tracer_cost *cost = &t->cost;
	struct tracer_span saving;

	if (!joint_is_candidate(t) || cost->why_not || !cost->cut_depth || t->hidden.levels)
		return;
	if (t->capture->calls->n > JOINT_ALONE_MAX ||
	    !hidden_calls_count(t->capture, t->capture, cost->cut_depth, &t->hidden, &t->points)) {
		cost->why_not = "the trace is cut at a depth, and too large to look for what that "
				"hides";
		return;
	}
	t->pairs = t->points.points.len;
	saving = (struct tracer_span){
		.ns = hidden_points_quantile(&t->points, 0.5),
		.low_ns = hidden_points_quantile(&t->points, 0.25),
		.high_ns = hidden_points_quantile(&t->points, 0.75),
	};
	if (t->pairs >= 3) {
		cost->has_hidden = true;
		cost->hidden = (struct tracer_span){
			.ns = fmin(fmax(cost->nested.ns - saving.ns, 0), cost->nested.ns),
			.low_ns = fmax(cost->nested.low_ns - saving.high_ns, 0),
			.high_ns = fmin(fmax(cost->nested.high_ns - saving.low_ns, 0),
					cost->nested.high_ns),
		};
		t->saving = saving;
	}
	joint_total(t);
}

void tracer_joint_solve(struct tracer_joint *traces, size_t n, size_t complete)
{
	bool is_stated = complete < n;
	const struct tracer_joint *whole;
	size_t n_cut = 0;

	if (!is_stated)
		complete = joint_find_complete(traces, n);
	whole = complete < n && joint_is_candidate(&traces[complete]) ? &traces[complete] : NULL;
	for (size_t i = 0; whole && i < n; i++) {
		if (i == complete || whole->cost.why_not)
			continue;
		joint_match(&traces[i], whole, is_stated);
		n_cut += traces[i].role == TRACER_CUT;
	}
	if (n_cut) {
		struct tracer_cost cost = whole->cost;

		traces[complete].role = TRACER_COMPLETE;
		for (size_t i = 0; i < n; i++) {
			if (traces[i].role != TRACER_CUT)
				continue;
			joint_cost(&traces[i], traces, n, &cost);
			tracer_typical(&traces[complete], &traces[i]);
		}
	}
	for (size_t i = 0; i < n; i++)
		joint_alone(&traces[i]);
}

void tracer_joint_fini(struct tracer_joint *trace)
{
	hidden_calls_fini(&trace->hidden);
	VEC_FREE(&trace->points.points);
}
