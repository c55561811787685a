/* SPDX-License-Identifier: MIT */
/*
 * Calls of a trace begin on one CPU and end on another. The task was switched out inside the call,
 * and later ran on the other CPU.
 *
 * Thresholds: such calls have 5 % of the trace, or one took three times the median of its function.
 * The finding is only a note: such a trace does not show why the task was switched out.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <stdlib.h>

DECLARE_RULE(migrated_call);

#define MOVED_NOTE_PCT 5.0
#define MOVED_TIMES    3.0
#define MOVED_PEERS    5u /* minimum number of calls of a function for a median */
#define MOVED_SURE     75u

struct moved {
	const struct call_move *longest;
	uint64_t ns; /* duration of `longest` */
	/*
	 * sum of the durations of calls that moved to another CPU, ns; a moved call inside another
	 * moved call does not count
	 */
	uint64_t sum_ns;
	uint64_t n;
};

/*
 * Bits that are set for each call: whether the call itself moved to another CPU, or one of its
 * callees.
 */
enum moved_flag {
	MOVED_ITSELF = 1 << 0,
	MOVED_BELOW = 1 << 1, /* a callee moved, so the task was switched out in that callee */
};

static struct moved moved_of(const struct calls *c)
{
	struct moved ret = { .longest = NULL };
	uint8_t *flags = xcalloc(c->n + 1, sizeof(*flags));

	VEC_FOREACH (m, &c->moves) {
		uint32_t parent = c->parent.data[m->call];

		flags[m->call] |= MOVED_ITSELF;
		if (parent != INDEX_NONE)
			flags[parent] |= MOVED_BELOW;
	}
	VEC_FOREACH (m, &c->moves) {
		uint32_t parent = c->parent.data[m->call];
		uint64_t ns = calls_is_timed(c, m->call) ? calls_duration(c, m->call) : 0;

		ret.n++;
		if (parent == INDEX_NONE || !(flags[parent] & MOVED_ITSELF))
			ret.sum_ns += ns;
		if (!(flags[m->call] & MOVED_BELOW) && ns > ret.ns) {
			ret.ns = ns;
			ret.longest = m;
		}
	}
	free(flags);
	return ret;
}

static const struct calls_function *moved_function(const struct calls_summary *s, sym_id sym)
{
	VEC_FOREACH (f, &s->functions) {
		if (f->sym.v == sym.v)
			return f;
	}
	return NULL;
}

static void moved_finding(const struct rule_input *in, struct findings *out, const struct moved *m,
			  const struct calls_function *function, double pct, bool is_slow)
{
	const struct calls *c = in->capture->calls;
	uint32_t call = m->longest->call;
	struct str name = facts_name(in->facts, c->sym.data[call]);
	uint16_t from = c->lanes.data[c->lane.data[call]].cpu;
	struct interval share = stats_wilson((double)m->n, (double)c->n, 1.96);
	struct finding *f = finding_add(out, in, &rule_migrated_call, FINDING_NOTE, MOVED_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      STR_FMT
		      " took %s and changed its CPU meanwhile: it began on CPU %u and ended "
		      "on CPU %u%s",
		      STR_ARG(name), finding_duration(out, m->ns), from, m->longest->cpu,
		      is_slow ? finding_name(out, "; half of its calls take at most %s",
					     finding_duration(out, function->p50_ns))
			      : "");
	finding_figure(f, "longest", (double)m->ns / 1000, 0, "us");
	if (is_slow)
		finding_figure(f, "median of the function", (double)function->p50_ns / 1000, 0,
			       "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	finding_figure_interval(f, "calls that changed their CPU",
				(double)m->n / (double)c->n * 100, share.low, share.high, "%");
	finding_call(out, f, in, c->line.data[call], c->sym.data[call], m->ns);
	finding_evidence(out, f, in, m->longest->line, "ends on CPU %u", m->longest->cpu);
	finding_cause(out, f,
		      "The task was switched out inside the call and waited until another CPU ran "
		      "it, where its caches are cold");
	finding_because(out, f,
			"both CPUs are printed; whether it slept or was preempted needs "
			"sched_switch events");
	finding_next(
		out, f,
		"trace-cmd record -p function_graph -e sched_switch -e sched_migrate_task: why "
		"it left its CPU");
	finding_next(out, f, "taskset -c CPU COMMAND: does the call get faster without moves");
}

static void moved_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	const struct calls_function *function;
	struct moved m;
	double pct;
	bool is_slow;

	if (!c || !in->calls || in->calls->calls == 0)
		return;
	if (!c->has_cpus || !c->has_tasks) {
		finding_not_assessed(out, in, &rule_migrated_call,
				     "echo funcgraph-proc > /sys/kernel/tracing/trace_options",
				     "the trace does not name both the CPU and the task of a call");
		return;
	}
	m = moved_of(c);
	if (!m.longest) {
		finding_clean(out, in, &rule_migrated_call, "no call ends on another CPU");
		return;
	}
	pct = in->calls->root_total_ns ? (double)m.sum_ns / (double)in->calls->root_total_ns * 100
				       : 0;
	function = moved_function(in->calls, c->sym.data[m.longest->call]);
	is_slow = function && function->timed >= MOVED_PEERS &&
		  (double)m.ns >= MOVED_TIMES * (double)function->p50_ns;
	if (pct >= MOVED_NOTE_PCT || is_slow)
		moved_finding(in, out, &m, function, pct, is_slow);
	else
		finding_clean(out, in, &rule_migrated_call,
			      "calls that end on another CPU have %.1f %% of the trace", pct);
}

const struct rule rule_migrated_call = {
	.id = "migrated-call",
	.title = "Call that changes its CPU",
	.needs = RULE_CALLS,
	.check = moved_check,
};
