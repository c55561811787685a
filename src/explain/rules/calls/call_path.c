/* SPDX-License-Identifier: MIT */
/*
 * All calls of one topmost function together have most of the time of a trace. Nearly all of this
 * time is in one path of functions:
 *
 *     6 calls of ext4_sync_file 76 ms > ... > jbd2_log_wait_commit > schedule
 *
 * Each single call may have a small share. Rule one-call is about a single long call, rule
 * slow-calls about calls that are slower than others of the same function.
 *
 * Thresholds: the calls have half of the topmost time. All calls of each function of the path
 * together have 90 % of the time of the previous function. The calls take 1 ms on average: shorter
 * calls are ordinary work. There are at least two calls.
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
#include "explain/call_path_names.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <stdlib.h>

DECLARE_RULE(call_path);

#define PATH_ROOT_PCT 50.0
#define PATH_STEP_PCT 90.0
#define PATH_MEAN_NS  UINT64_C(1000000)
#define PATH_LEAST    2u
#define PATH_MOST     100000u /* a trace with more calls is not searched */
#define PATH_DEPTH    64u
#define PATH_NAMES    6u /* maximum number of functions of the path in the evidence */
#define PATH_SURE     75u

/* One function of the path: all its calls whose caller is a call of the previous function. */
struct path_step {
	sym_id sym;
	uint64_t ns;
	uint32_t n;
	uint32_t longest; /* index of the longest of these calls */
};

struct path {
	struct path_step steps[PATH_DEPTH];
	size_t n;
	uint8_t *level; /* level[call]: 1 + index in steps; 0: the call is not on the path */
	/*
	 * used by path_largest(): sums[symbol]: index of the function in its list of sums, plus 1;
	 * 0: not in the list
	 */
	uint32_t *sums;
};

static uint64_t path_ns(const struct calls *c, uint32_t call)
{
	return c->sym.data[call].v && calls_is_timed(c, call) ? calls_duration(c, call) : 0;
}

/*
 * Whether @call is a candidate for step @n of the path: for the first step, a topmost call;
 * otherwise, a call by the previous step.
 */
static bool path_is_next(const struct calls *c, const struct path *p, uint32_t call)
{
	uint32_t parent = c->parent.data[call];

	if (path_ns(c, call) == 0)
		return false;
	return p->n == 0 ? parent == INDEX_NONE : parent != INDEX_NONE && p->level[parent] == p->n;
}

/*
 * Find the function with the largest sum of calls that continue the path. False: no call does.
 * Cost: O(calls).
 */
static bool path_largest(const struct calls *c, const struct path *p, struct path_step *ret)
{
	VEC(struct path_step) sums = { 0 };
	bool has = false;

	for (uint32_t i = 0; i < c->n; i++) {
		struct path_step *s;

		if (!path_is_next(c, p, i))
			continue;
		if (!p->sums[c->sym.data[i].v]) {
			*VEC_PUSH(&sums) =
				(struct path_step){ .sym = c->sym.data[i], .longest = i };
			p->sums[c->sym.data[i].v] = (uint32_t)sums.len;
		}
		s = &sums.data[p->sums[c->sym.data[i].v] - 1];
		s->ns += path_ns(c, i);
		s->n++;
		if (path_ns(c, i) > path_ns(c, s->longest))
			s->longest = i;
		if (!has || s->ns > ret->ns)
			*ret = *s;
		has = true;
	}
	VEC_FOREACH (s, &sums)
		p->sums[s->sym.v] = 0;
	VEC_FREE(&sums);
	return has;
}

static void path_take(const struct calls *c, struct path *p, const struct path_step *step)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->sym.data[i].v == step->sym.v && path_is_next(c, p, i))
			p->level[i] = (uint8_t)(p->n + 1);
	}
	p->steps[p->n++] = *step;
}

/* Whether a function of the path sleeps on purpose, or waits for events as an idle thread does. */
static bool path_is_idle(const struct rule_input *in, const struct path *p)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	for (size_t i = 0; i < p->n; i++) {
		if (facts_is_idle_call(in->facts, symbols, p->steps[i].sym))
			return true;
	}
	return false;
}

static bool path_gives_up_cpu(const struct rule_input *in, const struct path_step *s)
{
	return str_glob(STR(PATH_SLEEPS), facts_name(in->facts, s->sym));
}

static void path_finding(const struct rule_input *in, struct findings *out, const struct path *p)
{
	const struct calls *c = in->capture->calls;
	const struct path_step *root = &p->steps[0];
	const struct path_step *last = &p->steps[p->n - 1];
	const struct path_step *place = last;
	double pct = (double)root->ns / (double)in->calls->root_total_ns * 100;
	double part = (double)last->ns / (double)root->ns * 100;
	bool sleeps = path_gives_up_cpu(in, last);
	struct str name, place_name;
	struct finding *f;

	/* skip functions of the scheduler: their caller shows what the calls wait for */
	while (place > root && path_gives_up_cpu(in, place))
		place--;
	name = facts_name(in->facts, root->sym);
	place_name = facts_name(in->facts, place->sym);
	f = finding_add(out, in, &rule_call_path, FINDING_NOTE, PATH_SURE);
	f->impact = pct * part / 100;
	finding_claim(out, f,
		      "%u calls of " STR_FMT " take %s each, and %s %.1f %% of that in " STR_FMT
		      ", %zu level%s below",
		      root->n, STR_ARG(name), finding_duration(out, root->ns / root->n),
		      sleeps ? "sleep" : "spend", part, STR_ARG(place_name), (size_t)(place - root),
		      place - root == 1 ? "" : "s");
	finding_figure(f, "share of the path", part, 0, "%");
	finding_figure(f, "calls of the topmost function, share of the trace", pct, 0, "%");
	finding_figure(f, "calls", root->n, 0, "");
	finding_call(out, f, in, c->line.data[place->longest], place->sym,
		     path_ns(c, place->longest));
	for (size_t i = 0, n = 0; i < p->n && n < PATH_NAMES; i++) {
		const struct path_step *s = &p->steps[p->n - 1 - i];

		if (s == place)
			continue;
		finding_call(out, f, in, c->line.data[s->longest], s->sym, path_ns(c, s->longest));
		n++;
	}
	if (sleeps)
		finding_cause(out, f,
			      "The scheduler runs below it, in nearly all of the time: the calls "
			      "wait there for another thread or a device, and compute next to "
			      "nothing");
	else
		finding_cause(out, f,
			      "Each function of the path passes nearly all of its time on to the "
			      "next one: the last one computes or waits, or its callees share the "
			      "time");
	finding_because(out, f,
			"the durations are measured\n"
			"whom the last function waits for");
	finding_next(out, f,
		     "trace-cmd record -p function_graph -g " STR_FMT
		     " -e sched_switch -e sched_waking: who wakes it, and what that one did",
		     STR_ARG(place_name));
}

static void path_search(const struct rule_input *in, struct findings *out, struct path *p)
{
	const struct calls *c = in->capture->calls;
	struct path_step step;
	double pct;

	if (!path_largest(c, p, &step))
		return;
	pct = (double)step.ns / (double)in->calls->root_total_ns * 100;
	if (pct < PATH_ROOT_PCT || step.n < PATH_LEAST || step.ns / step.n < PATH_MEAN_NS) {
		finding_clean(out, in, &rule_call_path,
			      "the topmost function with most time has %u call%s, %s each, %.1f %% "
			      "of the trace",
			      step.n, step.n == 1 ? "" : "s",
			      finding_duration(out, step.ns / step.n), pct);
		return;
	}
	do {
		path_take(c, p, &step);
	} while (p->n < PATH_DEPTH && path_largest(c, p, &step) &&
		 (double)step.ns >= (double)p->steps[p->n - 1].ns * PATH_STEP_PCT / 100);
	if (path_is_idle(in, p))
		finding_clean(out, in, &rule_call_path,
			      "the calls with most time sleep on purpose, or wait for events");
	else if (p->n > 1)
		path_finding(in, out, p);
	else if (c->lost_events)
		finding_not_assessed(out, in, &rule_call_path,
				     "trace-cmd record -b 65536 -p function_graph",
				     "events were lost: callees may be missing");
	else
		finding_clean(out, in, &rule_call_path,
			      "no callee has %.0f %% of the topmost calls", PATH_STEP_PCT);
}

static void path_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	struct path p = { .n = 0 };

	if (!c || !in->calls || !c->has_durations || in->calls->root_total_ns == 0 ||
	    c->n > PATH_MOST)
		return;
	p.level = xcalloc(c->n + 1, sizeof(*p.level));
	p.sums = xcalloc(capture_symbols(in->capture)->rows.len + 1, sizeof(*p.sums));
	path_search(in, out, &p);
	free(p.level);
	free(p.sums);
}

const struct rule rule_call_path = {
	.id = "call-path",
	.title = "One call path takes most of the time",
	.needs = RULE_CALLS,
	.check = path_check,
	.is_general = true,
};
