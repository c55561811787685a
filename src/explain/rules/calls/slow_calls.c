/* SPDX-License-Identifier: MIT */
/*
 * Some calls took much longer than other calls of the same function, and the trace shows the cause.
 *
 * Thresholds: a cause gets a finding of its own if the extra time of its calls is 5 % of the trace;
 * 20 % is a warning. One note lists all smaller causes together. analyses/slow/slow_calls.h defines
 * a slow call.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/slow/slow_calls.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(slow_calls);

#define SLOW_NOTE_PCT 5.0
#define SLOW_LEAD_PCT 20.0
#define SLOW_CITED    5u

static const char *slow_words(enum slow_cause cause)
{
	static const char *const words[SLOW_CAUSES] = {
		[SLOW_OWN_TIME] = "own time, not in the callees",
		[SLOW_CHILD] = "a callee that was slow itself",
		[SLOW_RARE_PATH] = "a path that other calls do not take",
		[SLOW_MORE_CALLS] = "more callees than usual",
		[SLOW_SLEEP] = "sleep",
		[SLOW_INTERRUPT] = "an interrupt",
		[SLOW_ALLOCATION] = "an allocation slow path (cache refill)",
		[SLOW_LOST_EVENTS] = "unknown: events were lost inside",
		[SLOW_SPREAD] = "several places, none with most of it",
	};

	return words[cause < SLOW_CAUSES ? cause : SLOW_SPREAD];
}

static const char *slow_next(enum slow_cause cause)
{
	static const char *const next[SLOW_CAUSES] = {
		[SLOW_OWN_TIME] = "trace with irq and sched events, and with hwlat: interrupts or "
				  "firmware pauses",
		[SLOW_CHILD] = "assay calls --under FUNCTION FILE: the tree below the slow call",
		[SLOW_RARE_PATH] = "trace with funcgraph-args: when is that path taken",
		[SLOW_MORE_CALLS] = "trace with funcgraph-args: the arguments of the slow call",
		[SLOW_SLEEP] = "trace sched_switch and sched_waking events with stacks: the reason "
			       "for waiting",
		[SLOW_INTERRUPT] =
			"move interrupts to another CPU (/proc/irq/*/smp_affinity, isolcpus)",
		[SLOW_ALLOCATION] =
			"nothing, if rare: the next calls profit; else allocate in bulk before",
		[SLOW_LOST_EVENTS] = "trace again with a larger buffer_size_kb",
		[SLOW_SPREAD] =
			"trace with sched and irq events: a slow CPU, a cold cache or preemption",
	};

	return next[cause < SLOW_CAUSES ? cause : SLOW_SPREAD];
}

/*
 * The text for @cause: that of slow_words(), except for SLOW_OWN_TIME. With SLOW_OWN_TIME, the
 * cause is unknown, and the text is a sentence that says so.
 */
static const char *slow_sentence(enum slow_cause cause)
{
	return cause == SLOW_OWN_TIME ? "Unknown: no callee was slower than usual. A hidden "
					"interrupt or pause is possible"
				      : slow_words(cause);
}

/*
 * The claim if @cause made exactly one call slow: "1 of 7 calls of f took 16.8 µs instead of 1.3
 * µs". NULL: several calls.
 */
static const char *slow_title(const struct rule_input *in, struct findings *out,
			      enum slow_cause cause)
{
	const struct slow_call *only = NULL;

	VEC_FOREACH (r, &in->traced->slow.rows) {
		if (r->cause == cause && only)
			return NULL;
		only = r->cause == cause ? r : only;
	}
	if (!only || only->calls != 1)
		return NULL;
	return finding_name(
		out, "1 of %llu calls of " STR_FMT " took %s instead of %s",
		(unsigned long long)only->peers, STR_ARG(facts_name(in->facts, only->sym)),
		finding_duration(out, only->total_ns), finding_duration(out, only->typical_ns));
}

static void slow_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct slow_call *r)
{
	struct str name = facts_name(in->facts, r->sym);
	const char *below = r->because.v != r->sym.v && r->because_line
				    ? finding_name(out, ", in " STR_FMT " below",
						   STR_ARG(facts_name(in->facts, r->because)))
				    : "";

	finding_figure(f,
		       finding_name(out, STR_FMT " (else %.3f \xc2\xb5s; %llu of %llu calls)%s",
				    STR_ARG(name), (double)r->typical_ns / 1000,
				    (unsigned long long)r->calls, (unsigned long long)r->peers,
				    below),
		       (double)r->total_ns / 1000, 0, "us");
	finding_call(out, f, in, r->line, r->sym, r->total_ns);
	if (r->because_line && r->because_line != r->line)
		finding_call(out, f, in, r->because_line, r->because, r->because_ns);
}

/* Are the calls with @cause slow because of gaps in time? Gaps have a finding of their own. */
static bool slow_is_gap(const struct rule_input *in, enum slow_cause cause)
{
	VEC_FOREACH (r, &in->traced->slow.rows) {
		bool has_gap = false;

		VEC_FOREACH (g, &in->traced->gaps.rows)
			has_gap |= g->sym.v == r->sym.v && g->calls >= r->calls;
		if (r->cause == cause && !has_gap)
			return false;
	}
	return cause == SLOW_OWN_TIME;
}

/* Add one finding for all slow calls with the same cause. */
static void slow_found(const struct rule_input *in, struct findings *out, enum slow_cause cause,
		       double pct, uint64_t calls)
{
	const struct slow_calls *slow = &in->traced->slow;
	const char *title;
	struct finding *f;
	uint64_t excess = 0;
	bool is_certain = true;
	size_t n = 0;

	VEC_FOREACH (r, &slow->rows) {
		excess += r->cause == cause ? r->sum_excess_ns : 0;
		is_certain = is_certain && (r->cause != cause || r->is_certain);
	}
	f = finding_add(out, in, &rule_slow_calls,
			pct >= SLOW_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			is_certain ? 95 : 75);
	f->impact = pct;
	if (slow_is_gap(in, cause))
		finding_about(out, f, /* is_part= */ true, "gaps of %u", (unsigned int)in->number);
	title = slow_title(in, out, cause);
	if (title)
		finding_claim(out, f, "%s (%.1f %% of the trace more): %s", title, pct,
			      slow_words(cause));
	else if (pct > 100)
		finding_claim(out, f,
			      "%llu call%s took %.1f \xc2\xb5s longer than usual (nested or in "
			      "parallel, so more than the trace): %s",
			      (unsigned long long)calls, calls == 1 ? "" : "s",
			      (double)excess / 1000, slow_words(cause));
	else
		finding_claim(out, f,
			      "%llu call%s took %.1f \xc2\xb5s longer than usual, %.1f %% of the "
			      "trace: %s",
			      (unsigned long long)calls, calls == 1 ? "" : "s",
			      (double)excess / 1000, pct, slow_words(cause));
	finding_cause_if(out, f, is_certain, "%s", slow_sentence(cause));
	finding_because(out, f, "%s",
			is_certain ? "measured in the trace, call by call"
				   : "inferred from neighbouring events, not measured");
	finding_figure(f, "longer than usual", (double)excess / 1000, 0, "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	if (!title)
		finding_figure(f, "slow calls", (double)calls, 0, "");
	VEC_FOREACH (r, &slow->rows) {
		if (r->cause != cause)
			continue;
		if (n++ < SLOW_CITED)
			slow_cite(in, out, f, r);
	}
	finding_next(out, f, "%s", slow_next(cause));
	if (calls > 1)
		finding_next(out, f, "assay calls --slow FILE: each of the %llu calls",
			     (unsigned long long)calls);
}

/*
 * Add one note about all causes that have a small share of the trace. @reported: the causes that
 * already have a finding, as bits (1 << cause).
 */
static void slow_rest(const struct rule_input *in, struct findings *out, unsigned int reported)
{
	const struct slow_calls *slow = &in->traced->slow;
	const struct slow_call *worst = NULL;
	struct finding *f;
	uint64_t excess = 0;
	uint64_t calls = 0;
	size_t n = 0;

	VEC_FOREACH (r, &slow->rows) {
		if (reported >> r->cause & 1)
			continue;
		excess += r->sum_excess_ns;
		calls += r->calls;
		if (!worst || r->total_ns - r->typical_ns > worst->total_ns - worst->typical_ns)
			worst = r;
	}
	if (!worst)
		return;
	f = finding_add(out, in, &rule_slow_calls, FINDING_NOTE, 75);
	f->impact = (double)excess / (double)in->calls->root_total_ns * 100;
	finding_claim(out, f,
		      "%llu %sof %llu calls took far longer than others of their function, %.1f "
		      "\xc2\xb5s in total. The worst is " STR_FMT
		      " with %.1f instead of %.1f \xc2\xb5s",
		      (unsigned long long)calls, reported ? "more " : "",
		      (unsigned long long)in->calls->calls, (double)excess / 1000,
		      STR_ARG(facts_name(in->facts, worst->sym)), (double)worst->total_ns / 1000,
		      (double)worst->typical_ns / 1000);
	finding_usual_cause(out, f, "%s", slow_sentence(worst->cause));
	finding_because(out, f, "No single cause has %.0f %% of the trace", SLOW_NOTE_PCT);
	finding_figure(f, "slow calls", (double)calls, 0, "");
	finding_figure(f, "longer than usual", (double)excess / 1000, 0, "us");
	finding_figure(f, "share of the trace", f->impact, 0, "%");
	VEC_FOREACH (r, &slow->rows) {
		if (!(reported >> r->cause & 1) && n++ < SLOW_CITED)
			slow_cite(in, out, f, r);
	}
	finding_next(out, f, "assay calls --slow FILE: each slow call, with its cause");
}

static void slow_calls_check(const struct rule_input *in, struct findings *out)
{
	const struct slow_calls *slow = &in->traced->slow;
	double all = (double)in->calls->root_total_ns;
	uint64_t excess[SLOW_CAUSES] = { 0 };
	uint64_t calls[SLOW_CAUSES] = { 0 };
	unsigned int reported = 0;
	bool has_peers = false;

	if (in->calls->calls == 0 || all <= 0)
		return;
	VEC_FOREACH (r, &slow->rows) {
		excess[r->cause] += r->sum_excess_ns;
		calls[r->cause] += r->calls;
	}
	for (unsigned int i = 0; i < SLOW_CAUSES; i++) {
		double pct = (double)excess[i] / all * 100;

		if (pct < SLOW_NOTE_PCT)
			continue;
		slow_found(in, out, (enum slow_cause)i, pct, calls[i]);
		reported |= 1u << i;
	}
	slow_rest(in, out, reported);
	if (slow->rows.len)
		return;
	VEC_FOREACH (f, &in->calls->functions)
		has_peers |= f->timed >= SLOW_PEERS_MIN;
	if (has_peers)
		finding_clean(out, in, &rule_slow_calls,
			      "no call took far longer than others of its function");
	else
		finding_not_assessed(out, in, &rule_slow_calls, "trace more calls of the same work",
				     "no function was called %u times: no typical duration",
				     SLOW_PEERS_MIN);
}

const struct rule rule_slow_calls = {
	.id = "slow-calls",
	.title = "Slow calls by cause",
	.needs = RULE_CALLS,
	.check = slow_calls_check,
	.is_measured = true,
};
