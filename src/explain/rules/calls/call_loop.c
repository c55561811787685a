/* SPDX-License-Identifier: MIT */
/*
 * The whole trace is a part of one loop: the same sequence of calls again and again, inside of a
 * caller that the trace does not show. Whether the loop ends, and whether it makes progress, is not
 * visible.
 *
 * Thresholds: the sequence has 2 to 24 calls, and the trace three rounds and twelve calls of it,
 * without any other call. All calls are nested (printed depth above 0): functions that a filter
 * selects follow each other in any trace.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/call_loop_names.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(call_loop);

#define LOOP_LONGEST 24u
#define LOOP_ROUNDS  3u
#define LOOP_LEAST   12u
#define LOOP_SURE    75u
#define LOOP_MOST    100000u /* maximum number of calls of a trace that is searched */

/* What a loop does that calls one of these functions. */
struct loop_kind {
	const char *functions;
	const char *cause;
	const char *next;
};

static const struct loop_kind loop_kinds[] = { LOOP_KINDS };

struct call_loop {
	VEC(uint32_t) calls; /* the calls that have no caller in the trace */
	uint32_t period;     /* calls of a round; 0: no loop */
	uint64_t ns;         /* time of all calls */
};

/* Collect the calls without a caller. False: one is not nested, or they are of several tasks. */
static bool loop_collect(const struct calls *c, struct call_loop *ret)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->parent.data[i] != INDEX_NONE)
			continue;
		if (c->depth.data[i] == 0 || !calls_is_timed(c, i) ||
		    c->lane.data[i] != c->lane.data[0])
			return false;
		ret->ns += calls_duration(c, i);
		*VEC_PUSH(&ret->calls) = i;
	}
	return ret->calls.len >= LOOP_LEAST;
}

/* The shortest sequence that repeats itself through all calls; 0: none. Cost: O(calls). */
static uint32_t loop_period(const struct calls *c, const struct call_loop *l)
{
	for (uint32_t p = 1; p <= LOOP_LONGEST && p * LOOP_ROUNDS <= l->calls.len; p++) {
		size_t i = p;

		while (i < l->calls.len &&
		       c->sym.data[l->calls.data[i]].v == c->sym.data[l->calls.data[i - p]].v)
			i++;
		if (i == l->calls.len)
			return p;
	}
	return 0;
}

/* Time of all calls of the function that round call @at calls. */
static uint64_t loop_ns(const struct calls *c, const struct call_loop *l, uint32_t at)
{
	uint64_t ns = 0;

	for (size_t i = at; i < l->calls.len; i += l->period)
		ns += calls_duration(c, l->calls.data[i]);
	return ns;
}

/* The call of the round whose function takes most of the time. */
static uint32_t loop_hottest(const struct calls *c, const struct call_loop *l)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < l->period; i++) {
		if (loop_ns(c, l, i) > loop_ns(c, l, best))
			best = i;
	}
	return best;
}

/* The first kind of which the loop has a function. The last row matches each function. */
static const struct loop_kind *loop_kind(const struct rule_input *in, const struct call_loop *l)
{
	const struct calls *c = in->capture->calls;

	for (size_t k = 0; k < ARRAY_LEN(loop_kinds); k++) {
		for (uint32_t i = 0; i < l->period; i++) {
			if (str_glob(str_of(loop_kinds[k].functions),
				     facts_name(in->facts, c->sym.data[l->calls.data[i]])))
				return &loop_kinds[k];
		}
	}
	return &loop_kinds[ARRAY_LEN(loop_kinds) - 1];
}

static void loop_finding(const struct rule_input *in, struct findings *out,
			 const struct call_loop *l)
{
	const struct calls *c = in->capture->calls;
	uint32_t hot = loop_hottest(c, l);
	uint32_t call = l->calls.data[hot];
	double pct = (double)loop_ns(c, l, hot) / (double)l->ns * 100;
	size_t rounds = l->calls.len / l->period;
	const struct loop_kind *kind = loop_kind(in, l);
	struct finding *f = finding_add(out, in, &rule_call_loop, FINDING_NOTE, LOOP_SURE);

	f->impact = pct;
	finding_claim(
		out, f,
		"The whole trace is one loop: %u calls are repeated %zu times in a caller that "
		"is not shown; " STR_FMT " takes %.0f %% of each round (%s)",
		l->period, rounds, STR_ARG(facts_name(in->facts, c->sym.data[call])), pct,
		finding_duration(out, l->ns * l->period / l->calls.len));
	finding_figure(f, "rounds", (double)rounds, 0, "");
	finding_figure(f, "calls of a round", l->period, 0, "");
	finding_call(out, f, in, c->line.data[call], c->sym.data[call], calls_duration(c, call));
	finding_usual_cause(out, f, "%s", kind->cause);
	finding_because(out, f,
			"the repetition is exact\n"
			"whether the loop makes progress");
	finding_next(out, f, "%s", kind->next);
}

static void loop_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	struct call_loop l = { .period = 0 };

	if (!c || !in->calls || c->n > LOOP_MOST || c->log_of != CALLS_OF_FUNCTIONS)
		return;
	if (loop_collect(c, &l))
		l.period = loop_period(c, &l);
	if (l.period > 1 && l.ns > 0)
		loop_finding(in, out, &l);
	else if (c->n >= LOOP_LEAST)
		finding_clean(out, in, &rule_call_loop,
			      "the trace is not one sequence of nested calls that is repeated");
	else
		finding_not_assessed(out, in, &rule_call_loop,
				     "trace the whole operation, not a part",
				     "fewer than %u calls were traced", LOOP_LEAST);
	VEC_FREE(&l.calls);
}

const struct rule rule_call_loop = {
	.id = "call-loop",
	.title = "The traced calls are one loop",
	.needs = RULE_CALLS,
	.check = loop_check,
	.is_general = true,
};
