/* SPDX-License-Identifier: MIT */
/*
 * Gaps: time inside calls that is neither in a traced callee nor tracing overhead.
 *
 * Thresholds: 5 % of the trace is a note, 10 % a warning. Smaller gaps do not change the order of
 * functions by time. analyses/calls/call_gaps.h defines a gap.
 */
#include "core/capture.h"
#include "explain/rule.h"

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/unexplained_time_gaps_names.h"

DECLARE_RULE(unexplained_time_gaps);

#define GAPS_NOTE_PCT 5.0
#define GAPS_LEAD_PCT 10.0
#define GAPS_CITED    5u

/*
 * Does the function with the gap take a lock in a callee, and is that callee shorter than a quarter
 * of the gap? Then the gap is not a wait for the lock. *@ret_ns: duration of the callee.
 */
static bool gaps_is_lock(const struct rule_input *in, const struct call_gap *g, uint64_t *ret_ns)
{
	const struct calls *c = in->capture->calls;

	if (!str_glob(STR(GAPS_LOCKS), facts_name(in->facts, g->sym)))
		return false;
	for (uint32_t i = g->worst_call + 1;
	     i < c->n && c->depth.data[i] > c->depth.data[g->worst_call]; i++) {
		if (c->parent.data[i] == g->worst_call &&
		    (double)calls_duration(c, i) < g->worst.ns / 4 &&
		    str_glob(STR(GAPS_LOCK_PROPER), facts_name(in->facts, c->sym.data[i]))) {
			*ret_ns = calls_duration(c, i);
			return true;
		}
	}
	return false;
}

static void gaps_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct call_gap *g)
{
	struct str name = facts_name(in->facts, g->sym);
	const char *why = g->interrupts         ? "contains a traced interrupt mark"
			  : g->peers > g->calls ? "other calls of the function take far less"
						: "own work or hidden time: inconclusive";
	uint64_t lock_ns = 0;

	if (!g->interrupts && gaps_is_lock(in, g, &lock_ns))
		why = finding_name(out,
				   "not contention: taking the lock itself took %.3f \xc2\xb5s",
				   (double)lock_ns / 1000);
	finding_figure(f, finding_name(out, "in " STR_FMT " (%s)", STR_ARG(name), why),
		       g->sum.ns / 1000, 0, "us");
	finding_subject(f, g->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, g->worst_line, STR_FMT ": %.1f \xc2\xb5s; %s", STR_ARG(name),
			 g->worst.ns / 1000, why);
}

static void gaps_found(const struct rule_input *in, struct findings *out, double pct)
{
	const struct call_gaps *gaps = &in->traced->gaps;
	struct finding *f = finding_add(out, in, &rule_unexplained_time_gaps,
					pct >= GAPS_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, 90);
	uint64_t proven = 0;
	size_t n = 0;

	VEC_FOREACH (g, &gaps->rows)
		proven += g->interrupts ? g->calls : 0;
	f->impact = pct;
	finding_about(out, f, /* is_part= */ false, "gaps of %u", (unsigned int)in->number);
	finding_claim(out, f,
		      "%llu call%s spent %.1f \xc2\xb5s, %.1f %% of the trace, outside of traced "
		      "callees: their own work, or hidden time",
		      (unsigned long long)gaps->calls, gaps->calls == 1 ? "" : "s",
		      gaps->sum.ns / 1000, pct);
	finding_usual_cause(
		out, f,
		"Own work, untraced interrupts, pauses of a virtual CPU or firmware, or "
		"functions that cannot be traced. An interrupt is proven in %s of them",
		proven ? finding_name(out, "%llu", (unsigned long long)proven) : "none");
	finding_because(out, f, "each gap is at least 15 times the tracing overhead of its call");
	finding_figure(f, "unexplained", gaps->sum.ns / 1000, 0, "us");
	finding_figure(f, "the same at the highest tracing overhead", gaps->sum.low_ns / 1000, 0,
		       "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	finding_figure(f, "calls with a gap", (double)gaps->calls, 0, "");
	VEC_FOREACH (g, &gaps->rows) {
		if (n++ >= GAPS_CITED)
			break;
		gaps_cite(in, out, f, g);
	}
	finding_next(out, f,
		     "echo 1 > /sys/kernel/tracing/options/funcgraph-irqs: trace again, with "
		     "interrupts (perf ftrace: without noirqs)");
	finding_next(out, f,
		     "echo hwlat > /sys/kernel/tracing/current_tracer: pauses of the firmware or "
		     "hypervisor");
}

static void unexplained_time_gaps_check(const struct rule_input *in, struct findings *out)
{
	const struct call_gaps *gaps = &in->traced->gaps;
	double all = (double)in->calls->root_total_ns;
	double pct;

	if (in->calls->calls == 0 || all <= 0)
		return;
	if (in->traced->cost.why_not) {
		finding_not_assessed(
			out, in, &rule_unexplained_time_gaps,
			"a trace with more leaf calls, so that the tracing overhead is known",
			"gaps cannot be separated from tracing overhead: %s",
			in->traced->cost.why_not);
		return;
	}
	pct = gaps->sum.ns / all * 100;
	if (pct < GAPS_NOTE_PCT)
		finding_clean(out, in, &rule_unexplained_time_gaps,
			      "%.1f %% of the trace is neither traced calls nor tracing overhead",
			      pct);
	else
		gaps_found(in, out, pct);
}

static const char *const gaps_explains[] = { "hidden-interrupts", NULL };

const struct rule rule_unexplained_time_gaps = {
	.id = "unexplained-time-gaps",
	.title = "Unexplained time gaps",
	.needs = RULE_CALLS,
	.explains = gaps_explains,
	.check = unexplained_time_gaps_check,
	.is_measured = true,
};
