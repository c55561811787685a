/* SPDX-License-Identifier: MIT */
/*
 * One caller calls one function many times in a row, for example once per element of a list, and
 * these calls take most of the time. A second finding is about a log in which a person removed
 * lines from the middle of such a series.
 *
 * Thresholds: a caller makes eight calls or more on average. They take 30 % of the trace for a note
 * and 60 % for a warning. Code that prepares one packet or one page calls each helper one to four
 * times.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/repeated_calls_names.h"

DECLARE_RULE(repeated_calls);

#define REPEATED_MIN      8u
#define REPEATED_NOTE_PCT 30.0
#define REPEATED_LEAD_PCT 60.0
/*
 * The log shows only some of the callees. Lines were removed if the caller takes this many times
 * longer than these callees.
 */
#define REPEATED_MISSING    5.0
#define REPEATED_HIDDEN_PCT 50.0

#define REPEATED_CUTS 16u /* maximum number of gaps (removed lines) to examine */

/*
 * The calls of one function, grouped by caller. Here, a caller is a single call: if a function runs
 * twice, it is two callers.
 */
struct repeated {
	uint32_t last; /* index of the latest caller, plus 1; 0: none */
	/* run: number of calls that the latest caller made so far; run_ns: their total time */
	uint32_t run;
	uint64_t run_ns;
	uint64_t callers;
	uint64_t calls;
	uint64_t ns;
	/*
	 * largest number of calls by one caller. The members most_ns, most_caller and most_call
	 * describe this caller.
	 */
	uint32_t most;
	uint64_t most_ns;
	uint32_t most_caller;
	uint32_t most_call; /* index of the first call of this function by most_caller */
	uint32_t first;
};

static bool repeated_counts(const struct calls *c, uint32_t call)
{
	return c->parent.data[call] != INDEX_NONE && calls_is_timed(c, call);
}

static void repeated_gather(const struct calls *c, struct repeated *by_sym)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct repeated *r = &by_sym[c->sym.data[i].v];
		uint32_t parent = c->parent.data[i];

		/* a recursive call is no repetition */
		if (!repeated_counts(c, i) || c->sym.data[parent].v == c->sym.data[i].v)
			continue;
		if (r->last != parent + 1) {
			r->last = parent + 1;
			r->run = 0;
			r->run_ns = 0;
			r->first = i;
			r->callers++;
		}
		r->run++;
		r->run_ns += calls_duration(c, i);
		r->calls++;
		r->ns += calls_duration(c, i);
		if (r->run > r->most) {
			r->most = r->run;
			r->most_ns = r->run_ns;
			r->most_caller = parent;
			r->most_call = r->first;
		}
	}
}

static const struct repeated *repeated_best(const struct symbols *symbols,
					    const struct repeated *by_sym, uint32_t *ret_sym)
{
	const struct repeated *best = NULL;

	for (uint32_t i = 0; i < symbols->rows.len; i++) {
		const struct repeated *r = &by_sym[i];

		if (r->callers && r->calls >= REPEATED_MIN * r->callers &&
		    (!best || r->ns > best->ns)) {
			best = r;
			*ret_sym = i;
		}
	}
	return best;
}

/* Does the name @call show that the function reads or writes a device's register? */
static bool repeated_is_device(struct str call)
{
	return str_glob(STR(REPEATED_DEVICE), call);
}

static void repeated_words(struct findings *out, struct finding *f, struct str call)
{
	if (repeated_is_device(call)) {
		finding_usual_cause(out, f,
				    "A loop reads a register until it changes, or moves data one "
				    "register at a time. The device sets the pace");
		finding_next(
			out, f,
			"assay calls --under CALLER FILE; look at the loop of the caller: does "
			"it sleep between reads, and what ends it");
		return;
	}
	finding_usual_cause(
		out, f,
		"One call for each element (a page, a segment, a CPU, a list entry). The "
		"work grows with their number");
	finding_next(out, f,
		     "assay calls --under CALLER FILE; or trace with funcgraph-args to compare "
		     "the arguments");
	finding_next(out, f,
		     "handle all elements at once: a call for the whole list, one flush after the "
		     "loop, an index instead of a walk");
}

static void repeated_found(const struct rule_input *in, struct findings *out,
			   const struct repeated *r, sym_id sym, double pct)
{
	const struct calls *c = in->capture->calls;
	struct str name = facts_name(in->facts, sym);
	struct str caller = facts_name(in->facts, c->sym.data[r->most_caller]);
	struct finding *f =
		finding_add(out, in, &rule_repeated_calls,
			    pct >= REPEATED_LEAD_PCT && !repeated_is_device(name) ? FINDING_WARNING
										  : FINDING_NOTE,
			    repeated_is_device(name) ? 60 : 80);

	f->impact = pct;
	finding_claim(out, f,
		      STR_FMT " calls " STR_FMT
			      " %u times%s: %s, %s each; all such calls take %.1f %% of the trace",
		      STR_ARG(caller), STR_ARG(name), r->most,
		      repeated_is_device(name) ? "" : " in one go",
		      finding_duration(out, r->most_ns),
		      finding_duration(out, (r->most_ns + r->most / 2) / r->most), pct);
	repeated_words(out, f, name);
	finding_because(out, f,
			"the count is exact; whether fewer calls would be enough is a guess");
	finding_figure(f, "calls by one caller, at most", r->most, 0, "");
	if (r->callers > 1)
		finding_figure(f, "calls by each caller, mean",
			       (double)r->calls / (double)r->callers, 0, "");
	finding_figure(f, "time in these calls", (double)r->ns / 1000, 0, "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	finding_subject(f, c->sym.data[r->most_call], SUBJECT_EXPLAINED);
	finding_subject(f, c->sym.data[r->most_caller], SUBJECT_CALLER);
	finding_evidence(out, f, in, c->line.data[r->most_call], STR_FMT ", the first of %u",
			 STR_ARG(name), r->most);
	finding_evidence(out, f, in, c->line.data[r->most_caller], STR_FMT, STR_ARG(caller));
}

/*
 * Did a person remove lines between two calls of one function by one caller? The removed lines were
 * probably more of these calls if the callees in the log take only a small part of the caller's
 * time. @m: the gap; @whole: time of the whole trace, ns.
 */
static bool repeated_is_cut(const struct rule_input *in, const struct call_mark *m, double whole)
{
	const struct calls *c = in->capture->calls;
	uint32_t next = m->before_call;
	/*
	 * the last call before the gap; if it is nested deeper than `next`, the loop replaces it by
	 * its caller
	 */
	uint32_t last = next - 1;
	uint32_t parent;
	uint64_t shown = 0;

	if (m->kind != MARK_ELIDED || next == 0 || next >= c->n)
		return false;
	parent = c->parent.data[next];
	while (c->depth.data[last] > c->depth.data[next] && c->parent.data[last] != INDEX_NONE)
		last = c->parent.data[last];
	if (parent == INDEX_NONE || c->parent.data[last] != parent ||
	    c->sym.data[next].v != c->sym.data[last].v || !calls_is_timed(c, parent))
		return false;
	for (uint32_t i = parent + 1; i < c->n; i++) {
		if (c->parent.data[i] == parent && calls_is_timed(c, i))
			shown += calls_duration(c, i);
	}
	return (double)calls_duration(c, parent) > (double)shown * REPEATED_MISSING &&
	       (double)calls_duration(c, parent) >= whole * REPEATED_HIDDEN_PCT / 100;
}

static void repeated_cut(const struct rule_input *in, struct findings *out,
			 const struct call_mark *m)
{
	const struct calls *c = in->capture->calls;
	uint32_t next = m->before_call;
	uint32_t parent = c->parent.data[next];
	struct str name = facts_name(in->facts, c->sym.data[next]);
	struct str caller = facts_name(in->facts, c->sym.data[parent]);
	double us = (double)calls_duration(c, parent) / 1000;
	struct finding *f = finding_add(out, in, &rule_repeated_calls, FINDING_WARNING, 65);

	f->impact = REPEATED_HIDDEN_PCT;
	finding_claim(out, f,
		      STR_FMT " calls " STR_FMT
			      " again and again. The trace omits lines among such calls, and they "
			      "take nearly all of its %.3f \xc2\xb5s",
		      STR_ARG(caller), STR_ARG(name), us);
	repeated_words(out, f, name);
	finding_because(out, f,
			"the omitted lines are inferred from the equal calls before and after");
	finding_figure(f, "time of the caller", us, 0, "us");
	finding_subject(f, c->sym.data[next], SUBJECT_EXPLAINED);
	finding_subject(f, c->sym.data[parent], SUBJECT_CALLER);
	finding_evidence(out, f, in, m->line, "omitted lines");
	finding_evidence(out, f, in, c->line.data[next], STR_FMT, STR_ARG(name));
	finding_evidence(out, f, in, c->line.data[parent], STR_FMT " %.3f \xc2\xb5s",
			 STR_ARG(caller), us);
}

static void repeated_calls_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	const struct symbols *symbols = capture_symbols(in->capture);
	double whole = (double)in->calls->root_total_ns;
	struct repeated *by_sym;
	const struct repeated *best;
	uint32_t sym = 0;
	unsigned int cuts = 0;
	double pct;

	if (in->calls->calls == 0)
		return;
	if (whole <= 0) {
		finding_not_assessed(out, in, &rule_repeated_calls,
				     "trace with the function_graph tracer",
				     "no call has a duration");
		return;
	}
	VEC_FOREACH (m, &c->marks) {
		if (m->kind == MARK_ELIDED && cuts++ == REPEATED_CUTS)
			break;
		if (repeated_is_cut(in, m, whole)) {
			repeated_cut(in, out, m);
			return;
		}
	}
	by_sym = xcalloc(symbols->rows.len + 1, sizeof(*by_sym));
	repeated_gather(c, by_sym);
	best = repeated_best(symbols, by_sym, &sym);
	pct = best ? (double)best->ns / whole * 100 : 0;
	if (best && pct >= REPEATED_NOTE_PCT)
		repeated_found(in, out, best, (sym_id){ sym }, pct);
	else if (in->calls->calls <= REPEATED_MIN)
		finding_not_assessed(
			out, in, &rule_repeated_calls, "trace the whole operation, not a part",
			"only %llu calls were traced", (unsigned long long)in->calls->calls);
	else
		finding_clean(out, in, &rule_repeated_calls,
			      "no function is called %u times in one go with %.0f %% of the trace",
			      REPEATED_MIN, REPEATED_NOTE_PCT);
	free(by_sym);
}

const struct rule rule_repeated_calls = {
	.id = "repeated-calls",
	.title = "One call for each element",
	.needs = RULE_CALLS,
	.check = repeated_calls_check,
};
