/* SPDX-License-Identifier: MIT */
/*
 * A trace of few calls, in which one call has most of the time. This call has no caller in the
 * trace (root call). It starts a chain of calls, each with nearly all of its caller's time:
 *
 *     ioctl 120 ms > usb_reset 119 ms > msleep 118 ms      the place is msleep
 *
 * Of a call without its start, only the printed depth shows which calls were inside of it. If a
 * mail program removed the indentation, or the task changed its CPU, an earlier call with 90 % of
 * its time was probably inside of it: one thread cannot make both calls at the same time.
 *
 * Thresholds: the root call has half of the trace, and its function was traced fewer than five
 * times. (From five calls on, the usual duration is known: rule slow-calls.) Each call of the chain
 * has 90 % of its caller's time. A place with less than 10 us is ordinary work. If the trace ends
 * before a root call returns, the duration of this call is unknown. The longest call that returned
 * is then used as the root call. If none of its callees has 90 % of its time, the call itself must
 * have 90 % of the visible time.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/slow/slow_calls.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(one_call);

#define ONE_ROOT_PCT    50.0
#define ONE_CHILD_PCT   90.0
#define ONE_NS          UINT64_C(10000)
#define ONE_MOST        100000u /* maximum number of calls in a trace of a single operation */
#define ONE_SURE        75u
#define ONE_SURE_BEFORE 65u
#define ONE_NAMES       4u /* maximum number of callers in the evidence */

struct one_call {
	uint32_t path[ONE_NAMES]; /* up to ONE_NAMES nearest callers of `place`, outermost first */
	uint32_t n;
	uint32_t root;
	uint32_t place;
	uint32_t levels; /* number of calls in the chain after `root`, up to `place` */
};

/* The duration of @call, ns; 0: unknown, or the function is unknown. */
static uint64_t one_ns(const struct calls *c, uint32_t call)
{
	return c->sym.data[call].v && calls_is_timed(c, call) ? calls_duration(c, call) : 0;
}

/*
 * Whether all callers of @call have no duration, because the trace ended before they returned.
 * @call can then be a root call.
 */
static bool one_is_topmost(const struct calls *c, uint32_t call)
{
	for (uint32_t at = c->parent.data[call]; at != INDEX_NONE; at = c->parent.data[at]) {
		if (calls_is_timed(c, at))
			return false;
	}
	return true;
}

/*
 * Index of the longest callee of @parent; if @parent is INDEX_NONE, of the longest root call. Only
 * calls with index @from or higher are searched. INDEX_NONE: none.
 */
static uint32_t one_longest(const struct calls *c, uint32_t parent, uint32_t from)
{
	uint32_t best = INDEX_NONE;

	for (uint32_t i = from; i < c->n; i++) {
		if ((parent == INDEX_NONE ? one_is_topmost(c, i) : c->parent.data[i] == parent) &&
		    one_ns(c, i) && (best == INDEX_NONE || one_ns(c, i) > one_ns(c, best)))
			best = i;
	}
	return best;
}

/* Move o->place along the chain, to the innermost call that has nearly all time of its caller. */
static void one_descend(const struct calls *c, struct one_call *o)
{
	for (;;) {
		uint32_t child = one_longest(c, o->place, o->place + 1);

		if (child == INDEX_NONE ||
		    (double)one_ns(c, child) < (double)one_ns(c, o->place) * ONE_CHILD_PCT / 100)
			return;
		if (o->n == ONE_NAMES) {
			memmove(o->path, o->path + 1, (ONE_NAMES - 1) * sizeof(*o->path));
			o->n--;
		}
		o->path[o->n++] = o->place;
		o->place = child;
		o->levels++;
	}
}

static uint64_t one_timed(const struct calls_summary *s, sym_id sym)
{
	VEC_FOREACH (f, &s->functions) {
		if (f->sym.v == sym.v)
			return f->timed;
	}
	return 0;
}

/*
 * Whether @call or one of its callers sleeps on purpose, or waits for events as an idle thread
 * does. Callees do not count: a driver that sleeps during a reset makes its caller wait. A wait for
 * another thread does not count either, because it may be a cost.
 */
static bool one_is_idle(const struct rule_input *in, uint32_t call)
{
	const struct calls *c = in->capture->calls;
	const struct symbols *symbols = capture_symbols(in->capture);

	for (uint32_t at = call; at != INDEX_NONE; at = c->parent.data[at]) {
		if (facts_is_idle_call(in->facts, symbols, c->sym.data[at]))
			return true;
	}
	return false;
}

/* Whether the trace has only the end of @call. */
static bool one_is_cut(const struct calls *c, uint32_t call)
{
	return (c->state.data[call] & CALL_STATE_MASK) == CALL_ORPHAN;
}

/*
 * Whether the author of the text removed callees of @call. It is then unknown what the call does.
 */
static bool one_is_shortened(const struct calls *c, uint32_t call)
{
	return (c->state.data[call] & CALL_STATE_MASK) == CALL_SHORTENED;
}

/*
 * Add a finding for a trace whose root calls have no end. The call o->place has nearly all of the
 * time that the trace shows.
 */
static void one_open_finding(const struct rule_input *in, struct findings *out,
			     const struct one_call *o, double pct)
{
	const struct calls *c = in->capture->calls;
	uint32_t caller = c->parent.data[o->root];
	struct str name = facts_name(in->facts, c->sym.data[o->place]);
	struct finding *f = finding_add(out, in, &rule_one_call, FINDING_NOTE, ONE_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      "One call of " STR_FMT " takes %s, %.1f %% of the traced part of " STR_FMT
		      ". This caller does not return in the trace",
		      STR_ARG(name), finding_duration(out, one_ns(c, o->place)), pct,
		      STR_ARG(facts_name(in->facts, c->sym.data[caller])));
	finding_figure(f, "time of the call", (double)one_ns(c, o->place) / 1000, 0, "us");
	finding_figure(f, "share of the calls shown", pct, 0, "%");
	finding_call(out, f, in, c->line.data[o->place], c->sym.data[o->place],
		     one_ns(c, o->place));
	finding_evidence(out, f, in, c->line.data[caller], STR_FMT ", without its end",
			 STR_ARG(facts_name(in->facts, c->sym.data[caller])));
	finding_cause(out, f,
		      "The caller takes at least as long. Calls after the end of the "
		      "trace may take longer");
	finding_because(out, f, "the duration is measured; the end of the caller is missing");
	finding_next(out, f,
		     "trace-cmd record -p function_graph -g " STR_FMT
		     " -e sched_switch: shows the whole call, and its waits",
		     STR_ARG(facts_name(in->facts, c->sym.data[caller])));
}

static void one_finding(const struct rule_input *in, struct findings *out, const struct one_call *o,
			double pct)
{
	const struct calls *c = in->capture->calls;
	uint64_t root_ns = one_ns(c, o->root);
	uint64_t ns = one_ns(c, o->place);
	struct finding *f = finding_add(out, in, &rule_one_call, FINDING_NOTE, ONE_SURE);

	f->impact = pct * (double)ns / (double)root_ns;
	finding_claim(out, f,
		      "One call of " STR_FMT " takes %s, %.1f %% of the call of " STR_FMT
		      " around it (%s), %u level%s below it",
		      STR_ARG(facts_name(in->facts, c->sym.data[o->place])),
		      finding_duration(out, ns), (double)ns / (double)root_ns * 100,
		      STR_ARG(facts_name(in->facts, c->sym.data[o->root])),
		      finding_duration(out, root_ns), o->levels, o->levels == 1 ? "" : "s");
	finding_figure(f, "time of the call", (double)ns / 1000, 0, "us");
	finding_figure(f, "share of the topmost call", (double)ns / (double)root_ns * 100, 0, "%");
	finding_figure(f, "topmost call, share of the trace", pct, 0, "%");
	finding_call(out, f, in, c->line.data[o->place], c->sym.data[o->place], ns);
	for (uint32_t i = o->n; i-- > 0;)
		finding_call(out, f, in, c->line.data[o->path[i]], c->sym.data[o->path[i]],
			     one_ns(c, o->path[i]));
	if (one_is_shortened(c, o->place))
		finding_cause(out, f,
			      "Each call between the two passes nearly all of its time on to one "
			      "callee. Lines inside the last one were cut out of the text: its "
			      "callees there have an unknown part of the time");
	else if (one_is_cut(c, o->place))
		finding_cause(out, f,
			      "Each call between the two passes nearly all of its time on to one "
			      "callee. The last one began before the trace, which does not show "
			      "what it called");
	else
		finding_cause(out, f,
			      "Each call between the two passes nearly all of its time on to one "
			      "callee: the last one computes or waits, or its callees share the "
			      "time");
	finding_because(out, f,
			"the durations are measured\n"
			"whether this call is an exception");
	if (one_is_shortened(c, o->place)) {
		finding_next(out, f,
			     "trace-cmd record -p function_graph -g " STR_FMT
			     ": the lines that were cut out, which callee of it has the time",
			     STR_ARG(facts_name(in->facts, c->sym.data[o->place])));
		return;
	}
	finding_next(out, f,
		     "trace-cmd record -p function_graph -g " STR_FMT
		     " -e sched_switch: does it wait, and is it always this long",
		     STR_ARG(facts_name(in->facts, c->sym.data[o->place])));
}

/* Can one task have made both calls? Unknown tasks can be the same. */
static bool one_may_be_same_task(const struct calls *c, uint32_t a, uint32_t b)
{
	const struct call_lane *la = &c->lanes.data[c->lane.data[a]];
	const struct call_lane *lb = &c->lanes.data[c->lane.data[b]];

	return !la->has_pid || !lb->has_pid || la->pid == lb->pid;
}

/*
 * The longest call before the end of @root, a call without its start, that has nearly all of its
 * time. INDEX_NONE: none.
 */
static uint32_t one_before(const struct calls *c, uint32_t root)
{
	uint32_t best = INDEX_NONE;

	for (uint32_t i = 0; i < root; i++) {
		if (one_is_topmost(c, i) && one_ns(c, i) <= one_ns(c, root) &&
		    (double)one_ns(c, i) >= (double)one_ns(c, root) * ONE_CHILD_PCT / 100 &&
		    c->sym.data[i].v != c->sym.data[root].v && one_may_be_same_task(c, i, root) &&
		    (best == INDEX_NONE || one_ns(c, i) > one_ns(c, best)))
			best = i;
	}
	return best;
}

/* Add a finding about @call, which was probably inside of @root, a call without its start. */
static void one_before_finding(const struct rule_input *in, struct findings *out, uint32_t root,
			       uint32_t call)
{
	const struct calls *c = in->capture->calls;
	double pct = (double)one_ns(c, call) / (double)one_ns(c, root) * 100;
	struct str name = facts_name(in->facts, c->sym.data[call]);
	struct finding *f = finding_add(out, in, &rule_one_call, FINDING_NOTE, ONE_SURE_BEFORE);

	f->impact = pct;
	finding_claim(out, f,
		      "One call of " STR_FMT " takes %s, %.1f %% of the call of " STR_FMT
		      " that ends after it (%s)",
		      STR_ARG(name), finding_duration(out, one_ns(c, call)), pct,
		      STR_ARG(facts_name(in->facts, c->sym.data[root])),
		      finding_duration(out, one_ns(c, root)));
	finding_figure(f, "time of the call", (double)one_ns(c, call) / 1000, 0, "us");
	finding_figure(f, "share of the later call", pct, 0, "%");
	finding_call(out, f, in, c->line.data[call], c->sym.data[call], one_ns(c, call));
	finding_call(out, f, in, c->line.data[root], c->sym.data[root], one_ns(c, root));
	finding_cause(out, f,
		      "Both calls began before the trace, which does not show what they called. "
		      "The earlier one is inside of the later one if one thread made both");
	finding_because(out, f, "the durations are measured; the nesting is inferred from them");
	finding_next(out, f,
		     "trace-cmd record -p function_graph -g " STR_FMT
		     " -e sched_switch: what it calls, and whether it waits",
		     STR_ARG(name));
}

static void one_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	struct one_call o = { .n = 0 };
	uint32_t before;
	double pct;

	if (!c || !in->calls || !c->has_durations || in->calls->root_total_ns == 0 ||
	    c->n > ONE_MOST)
		return;
	o.root = o.place = one_longest(c, INDEX_NONE, 0);
	if (o.root == INDEX_NONE)
		return;
	before = !c->lost_events && one_is_cut(c, o.root) && one_ns(c, o.root) >= ONE_NS
			 ? one_before(c, o.root)
			 : INDEX_NONE;
	if (before != INDEX_NONE && !one_is_idle(in, o.root)) {
		one_before_finding(in, out, o.root, before);
		return;
	}
	pct = (double)one_ns(c, o.root) / (double)in->calls->root_total_ns * 100;
	if (pct < ONE_ROOT_PCT || one_ns(c, o.root) < ONE_NS ||
	    one_timed(in->calls, c->sym.data[o.root]) >= SLOW_PEERS_MIN) {
		finding_clean(out, in, &rule_one_call,
			      "the longest topmost call has %.1f %% of the trace", pct);
		return;
	}
	one_descend(c, &o);
	if (one_is_idle(in, o.root)) {
		finding_clean(out, in, &rule_one_call,
			      "the longest topmost call sleeps on purpose, or waits for events");
		return;
	}
	if (o.levels)
		one_finding(in, out, &o, pct);
	else if (c->parent.data[o.root] != INDEX_NONE && pct >= ONE_CHILD_PCT && c->n > 2)
		one_open_finding(in, out, &o, pct);
	else if (c->lost_events)
		finding_not_assessed(out, in, &rule_one_call,
				     "trace-cmd record -b 65536 -p function_graph",
				     "events were lost: callees may be missing");
	else
		finding_clean(out, in, &rule_one_call,
			      "no callee has %.0f %% of the longest topmost call", ONE_CHILD_PCT);
}

const struct rule rule_one_call = {
	.id = "one-call",
	.title = "One call has nearly all of its caller's time",
	.needs = RULE_CALLS,
	.check = one_check,
	.is_general = true,
};
