/* SPDX-License-Identifier: MIT */
#include "explain/signatures/call_signature.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/alloc.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <inttypes.h>

#define CALL_SURE_OPEN    60u /* certainty if the trace ends inside the call */
#define CALL_EVIDENCE_MAX 5u

static struct calls_total call_signature_total(const struct rule_input *in, const char *pattern)
{
	return calls_total_of(in->capture, str_of(pattern), STR_NONE);
}

static struct str call_signature_str(const char *z)
{
	return z ? str_of(z) : STR_NONE;
}

static struct calls_total call_signature_marker(const struct rule_input *in,
						const struct call_signature *s)
{
	if (!s->below)
		return call_signature_total(in, s->marker);
	/*
	 * if the trace lacks the functions of both patterns, no call matches: return early to save
	 * the query
	 */
	if (!call_signature_total(in, s->marker).matching ||
	    !call_signature_total(in, s->below).matching)
		return (struct calls_total){ .longest = INDEX_NONE };
	return calls_total_query(in->capture, &(struct calls_query){
						      .inner = str_of(s->marker),
						      .around = str_of(s->below),
					      });
}

static struct calls_total call_signature_cost(const struct rule_input *in,
					      const struct call_signature *s)
{
	if (!s->cost)
		return call_signature_marker(in, s);
	return calls_total_query(in->capture, &(struct calls_query){
						      .pattern = str_of(s->cost),
						      .inner = call_signature_str(s->inner),
						      .around = call_signature_str(s->around),
					      });
}

/*
 * The trace may have mostly ends of calls, without their begins. Then the nesting is unknown, and a
 * sum over all matching functions would count nested calls twice. In this case, @total becomes the
 * total of one function: the matching function with the longest time.
 */
static void call_signature_orphans(const struct rule_input *in, const char *pattern,
				   struct calls_total *total)
{
	uint64_t most = 0;

	if (in->calls->orphans * 2 < in->calls->calls)
		return;
	VEC_FOREACH (f, &in->calls->functions) {
		if (f->total_ns > most &&
		    calls_matches(capture_symbols(in->capture), f->sym, str_of(pattern))) {
			most = f->total_ns;
			total->topmost = f->topmost;
		}
	}
	total->total_ns = most;
}

/*
 * Do not count calls that match @pattern and have no caller in the trace: subtract their time and
 * number from @cost, and their number from @roots. Returns their time, ns.
 */
static uint64_t call_signature_alone(const struct rule_input *in, const char *pattern,
				     struct calls_total *cost, uint64_t *roots)
{
	const struct calls *c = in->capture->calls;
	uint64_t alone = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		if (c->parent.data[i] != INDEX_NONE || !calls_is_timed(c, i) ||
		    !calls_matches(capture_symbols(in->capture), c->sym.data[i], str_of(pattern)))
			continue;
		alone += calls_duration(c, i);
		cost->topmost -= cost->topmost > 0;
		*roots -= *roots > 0;
	}
	cost->total_ns -= alone < cost->total_ns ? alone : cost->total_ns;
	return alone;
}

/*
 * Add the first call of each function that matches @pattern as evidence. Functions whose element of
 * @known (indexed by symbol) is set are skipped. The elements of added functions are set.
 */
static void call_signature_cite(const struct rule_input *in, struct findings *out,
				struct finding *f, const char *pattern, uint8_t *known)
{
	const struct calls *c = in->capture->calls;
	const struct symbols *symbols = capture_symbols(in->capture);
	unsigned int n = 0;

	for (uint32_t i = 0; i < c->n && n < CALL_EVIDENCE_MAX; i++) {
		sym_id sym = c->sym.data[i];
		struct str name = symbols_canonical(symbols, sym);

		if (known[sym.v] || !str_glob(str_of(pattern), name))
			continue;
		known[sym.v] = 1;
		finding_call(out, f, in, c->line.data[i], sym, calls_duration(c, i));
		n++;
	}
}

/* Add the longest matching call as a figure: one slow call may be most of the sum. */
static void call_signature_longest(const struct rule_input *in, struct findings *out,
				   struct finding *f, const struct calls_total *cost)
{
	const struct calls *c = in->capture->calls;
	const struct symbols *symbols = capture_symbols(in->capture);
	struct str name;

	if (cost->longest == INDEX_NONE)
		return;
	name = symbols_name(symbols, c->sym.data[cost->longest]);
	finding_figure(f,
		       finding_name(out, "longest of them (" STR_FMT ", L%" PRIu32 ")",
				    STR_ARG(str_sub(name, 0, 64)), c->line.data[cost->longest]),
		       (double)calls_duration(c, cost->longest) / 1000, 0, "us");
}

static void call_signature_rule_out(const struct rule_input *in, struct findings *out,
				    const struct rule *rule, double pct, uint64_t calls,
				    bool is_few)
{
	const struct call_signature *s = rule->call_signature;

	if (!s->scope || !call_signature_total(in, s->scope).matching)
		return;
	if ((calls == 0 || is_few) && (in->calls->lost_events || in->calls->lost_unknown))
		finding_not_assessed(out, in, rule, "trace again with a larger buffer_size_kb",
				     "%s: %s, but events were lost", s->name,
				     calls == 0 ? "no such call" : "too few such calls");
	else if ((calls == 0 || is_few) && in->traced->cost.cut_depth)
		finding_not_assessed(out, in, rule, "trace again without max_graph_depth",
				     "%s: %s, but calls deeper than %u levels were not traced",
				     s->name, calls == 0 ? "no such call" : "too few such calls",
				     in->traced->cost.cut_depth);
	else
		finding_clean(out, in, rule, "%s: %llu call%s, %.1f %% of the trace", s->name,
			      (unsigned long long)calls, plural(calls), pct);
}

/* The outermost call that matches @pattern and has no end in the trace; INDEX_NONE: none. */
static uint32_t call_signature_open(const struct rule_input *in, const char *pattern)
{
	const struct calls *c = in->capture->calls;

	for (uint32_t i = 0; i < c->n; i++) {
		if ((c->state.data[i] & CALL_STATE_MASK) == CALL_OPEN &&
		    calls_matches(capture_symbols(in->capture), c->sym.data[i], str_of(pattern)))
			return i;
	}
	return INDEX_NONE;
}

/* Add a finding if the trace ends inside @call, a call of the marker functions of @rule. */
static void call_signature_ends_inside(const struct rule_input *in, struct findings *out,
				       const struct rule *rule, uint32_t call)
{
	const struct call_signature *s = rule->call_signature;
	const struct calls *c = in->capture->calls;
	sym_id sym = c->sym.data[call];
	struct finding *f = finding_add(out, in, rule, FINDING_NOTE, CALL_SURE_OPEN);

	finding_claim(out, f, "%s: the trace ends inside " STR_FMT, s->what,
		      STR_ARG(symbols_name(capture_symbols(in->capture), sym)));
	finding_causes(out, f, s->cause, s->usual_cause);
	finding_because(out, f,
			"the call does not end in the trace\n"
			"how long it takes");
	finding_next(out, f, "%s", s->next);
	finding_figure(f, "calls that do not end", 1, 0, "");
	finding_evidence(out, f, in, c->line.data[call], STR_FMT " does not end",
			 STR_ARG(symbols_name(capture_symbols(in->capture), sym)));
}

void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct rule *rule)
{
	const struct call_signature *s = rule->call_signature;
	struct calls_total cost = call_signature_cost(in, s);
	struct calls_total marker = call_signature_marker(in, s);
	uint64_t roots = in->calls->root_calls;
	uint64_t whole = in->calls->root_total_ns;
	double all, pct;
	bool is_few, is_short, is_all;
	struct finding *f;
	uint8_t *known;

	call_signature_orphans(in, s->cost ? s->cost : s->marker, &cost);
	if (s->needs_caller && marker.matching) {
		uint64_t alone = call_signature_alone(in, s->marker, &cost, &roots);

		whole -= alone < whole ? alone : whole;
		if (whole == 0 || cost.topmost == 0) {
			finding_not_assessed(
				out, in, rule,
				"trace a caller: set_graph_function with the "
				"operation that is slow",
				"%s: the trace has no caller, so its share of the work is "
				"unknown",
				s->name);
			return;
		}
	}
	all = (double)whole;
	is_few = (s->needs_caller ? cost.topmost : marker.matching) <
			 s->min_per_root * (roots ? roots : 1) ||
		 (s->holds && !s->holds(in));
	pct = all > 0 ? (double)cost.total_ns / all * 100 : 0;
	/*
	 * the trace has no other calls, so a share of 100 % only shows that no other functions were
	 * traced
	 */
	is_all = s->usual_ns && cost.total_ns >= in->calls->root_total_ns;
	is_short = s->usual_ns && cost.total_ns <= s->usual_ns * cost.topmost;
	if (s->is_open_wait && (marker.matching == 0 || pct < s->note_pct)) {
		uint32_t open = call_signature_open(in, s->marker);

		if (open != INDEX_NONE) {
			call_signature_ends_inside(in, out, rule, open);
			return;
		}
	}

	if (marker.matching == 0 || is_few || pct < s->note_pct ||
	    (s->absent && call_signature_total(in, s->absent).matching)) {
		call_signature_rule_out(in, out, rule, pct, marker.matching, is_few);
		return;
	}
	f = finding_add(out, in, rule,
			pct >= s->lead_pct && !is_short ? FINDING_WARNING : FINDING_NOTE,
			is_short || is_all ? s->sure * 3 / 4 : s->sure);
	f->is_kind = true;
	f->impact = pct;
	if (is_all)
		finding_claim(out, f, "%s: %s in %llu call%s; nothing else was traced", s->what,
			      finding_duration(out, cost.total_ns),
			      (unsigned long long)cost.topmost, cost.topmost == 1 ? "" : "s");
	else
		finding_claim(out, f, "%s: %s, %.1f %% of the trace", s->what,
			      finding_duration(out, cost.total_ns), pct);
	finding_causes(out, f, s->cause, s->usual_cause);
	finding_because(out, f, "%s", s->because);
	finding_unknown(out, f, s->not_known);
	finding_next(out, f, "%s", s->next);
	finding_figure(f, s->name, (double)cost.total_ns / 1000, 0, "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	finding_figure(f, "calls of these functions", (double)cost.topmost, 0, "");
	if (cost.topmost > 1)
		call_signature_longest(in, out, f, &cost);
	if (s->usual_ns && cost.topmost)
		finding_figure(f, "mean of topmost calls",
			       (double)cost.total_ns / 1000 / (double)cost.topmost, 0, "us");
	known = xcalloc(capture_symbols(in->capture)->rows.len + 1, 1);
	call_signature_cite(in, out, f, s->marker, known);
	if (s->cost)
		call_signature_cite(in, out, f, s->cost, known);
	free(known);
	if (s->add)
		s->add(in, f);
}
