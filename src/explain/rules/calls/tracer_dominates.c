/* SPDX-License-Identifier: MIT */
/*
 * Tracing overhead is the largest cost in a trace. The overhead is estimated from the trace itself.
 *
 * Threshold: a third of the time. With less overhead, durations are still too long, but the order
 * of functions by duration is right.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/tracer/tracer_cost.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(tracer_dominates);

#define TRACER_LEAD_PCT 33.0

static void tracer_dominates_check(const struct rule_input *in, struct findings *out)
{
	const struct tracer_cost *cost = &in->traced->cost;
	double all = (double)in->calls->root_total_ns;
	double pct;
	struct finding *f;

	if (in->calls->calls == 0 || all <= 0)
		return;
	if (cost->why_not) {
		finding_not_assessed(out, in, &rule_tracer_dominates,
				     "a trace with more leaf calls, or the same with "
				     "nosleep-time and fewer functions",
				     "the tracing overhead cannot be estimated: %s", cost->why_not);
		return;
	}
	pct = cost->total.ns / all * 100;
	if (pct > 100) {
		finding_not_assessed(out, in, &rule_tracer_dominates, "a longer trace",
				     "the tracing overhead cannot be estimated: by its shortest "
				     "leaf calls it would be longer than the trace");
		return;
	}
	if (pct < TRACER_LEAD_PCT) {
		finding_clean(out, in, &rule_tracer_dominates,
			      "About %.0f %% of the trace is tracing overhead", pct);
		return;
	}
	f = finding_add(out, in, &rule_tracer_dominates, FINDING_WARNING, 95);
	f->impact = pct;
	finding_claim(out, f,
		      "Tracing overhead is %s %.0f %% (%.0f–%.0f %%) of the %.1f \xc2\xb5s. Do not "
		      "quote absolute times from this trace",
		      cost->cut_depth ? "at least" : "about", pct, cost->total.low_ns / all * 100,
		      cost->total.high_ns / all * 100, all / 1000);
	finding_cause(out, f, "Each of %llu calls costs the tracer about %.0f ns",
		      (unsigned long long)in->calls->calls, cost->nested.ns);
	finding_because(out, f, "the shortest leaf calls and the self times of callers bound it");
	finding_figure_interval(f, "tracer", pct, cost->total.low_ns / all * 100,
				cost->total.high_ns / all * 100, "%");
	if (cost->cut_depth)
		finding_because(out, f,
				"the shortest leaf calls and the self times of callers bound it\n"
				"what calls below depth %u cost: the trace leaves them out",
				cost->cut_depth);
	finding_figure(f, "left", (all - cost->total.ns) / 1000,
		       (cost->total.high_ns - cost->total.low_ns) / 2000, "us");
	finding_figure(f, "per call", cost->nested.ns,
		       (cost->nested.high_ns - cost->nested.low_ns) / 2, "ns");
	finding_evidence(out, f, in, in->calls->roots.len ? in->calls->roots.data[0].line : 0,
			 "%llu calls, %.1f \xc2\xb5s in total",
			 (unsigned long long)in->calls->calls, all / 1000);
	finding_next(
		out, f,
		"echo FUNCTION > /sys/kernel/tracing/set_ftrace_filter: trace fewer functions, "
		"or sample with perf record. A lower max_graph_depth leaves part of the cost");
	finding_next(out, f, "assay calls FILE: times without the tracing overhead");
}

const struct rule rule_tracer_dominates = {
	.id = "tracer-dominates",
	.title = "Tracing overhead dominates",
	.needs = RULE_CALLS,
	.check = tracer_dominates_check,
	.is_about_data = true,
	.doubt = "tracer-cost",
};
