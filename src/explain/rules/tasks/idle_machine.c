/* SPDX-License-Identifier: MIT */
/*
 * The machine was mostly idle. A slow workload then waits for a disk, a sleeping lock or the
 * network, and a CPU profile does not show waits.
 *
 * Thresholds: an idle share of 50 % is a note. At 80 % or more it is more certain: CPU time then
 * seldom explains slowness. The share is a mean of all CPUs: if one CPU of 32 is busy, the machine
 * is 97 % idle.
 */
#include "explain/signatures/signature.h"

#include "base/alloc.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdlib.h>

DECLARE_RULE(idle_machine);

#define IDLE_NOTE_PCT 50.0
#define IDLE_LEAD_PCT 80.0

/*
 * If at most this part (0 to 1) of a CPU's samples are idle, the CPU is busy. If at most this part
 * is not idle, the CPU is idle.
 */
#define IDLE_BUSY_PART 0.1
#define IDLE_CPUS      1024u

/* all[cpu]: weight of the samples of this CPU; idle[cpu]: weight of its idle samples */
struct idle_cpus {
	uint64_t all[IDLE_CPUS], idle[IDLE_CPUS];
	/* number of CPUs with samples; number of CPUs that are busy all the time */
	unsigned int n, n_busy;
	/* every CPU is either busy nearly all the time, or idle nearly all the time */
	bool is_split;
};

static void idle_by_cpu(const struct rule_input *in, struct idle_cpus *ret)
{
	const struct profile *p = in->capture->profile;
	const struct samples *s = &p->samples;
	struct fact_sum idle = facts_category(in->profile, "idle");

	*ret = (struct idle_cpus){ .is_split = true };
	for (size_t i = 0; in->profile->function_of && s->cpu.len == s->n && i < s->n; i++) {
		sym_id sym = p->stacks.sym.data[s->stack.data[i].v];
		uint32_t at = in->profile->function_of[sym.v];
		uint16_t cpu = s->cpu.data[i];

		if (cpu >= IDLE_CPUS)
			continue;
		ret->all[cpu] += s->weight.data[i];
		if (at && in->profile->functions.data[at - 1].category.v == idle.top->category.v)
			ret->idle[cpu] += s->weight.data[i];
	}
	for (size_t i = 0; i < IDLE_CPUS; i++) {
		double part = ret->all[i] ? (double)ret->idle[i] / (double)ret->all[i] : 0;
		bool is_busy = part <= IDLE_BUSY_PART;

		ret->n += ret->all[i] > 0;
		ret->n_busy += ret->all[i] > 0 && is_busy;
		ret->is_split &= !ret->all[i] || is_busy || part >= 1 - IDLE_BUSY_PART;
	}
}

/*
 * Set the claim and the cause. If the samples have CPU numbers, they may show that a few CPUs do
 * all the work.
 */
static void idle_words(const struct rule_input *in, struct findings *out, struct finding *f,
		       double idle)
{
	struct idle_cpus *cpus = xcalloc(1, sizeof(*cpus));
	bool is_split;

	idle_by_cpu(in, cpus);
	is_split = cpus->is_split && cpus->n_busy && cpus->n > cpus->n_busy;
	finding_claim(
		out, f,
		"%.1f %% of %s is idle: %s, and the other shares divide the remaining %.1f %%",
		idle, in->profile->unit.of,
		is_split ? finding_name(out, "%u of %u CPUs %s busy", cpus->n_busy, cpus->n,
					cpus->n_busy == 1 ? "is" : "are")
			 : "the machine waits",
		in->profile->busy);
	if (is_split) {
		finding_cause(out, f,
			      "%u of %u CPUs %s busy all the time, and the others have nothing to "
			      "do: the work is serial, or bound to %s",
			      cpus->n_busy, cpus->n, cpus->n_busy == 1 ? "is" : "are",
			      cpus->n_busy == 1 ? "that CPU" : "these CPUs");
		finding_next(out, f,
			     "perf report --sort cpu,comm,sym: what the busy CPUs run; shares of "
			     "all CPUs hide it");
	} else {
		finding_usual_cause(
			out, f,
			"The slow part waits for a device, a sleeping lock or the network. "
			"Or one thread is busy while other CPUs idle, or there is nothing to "
			"do");
		finding_next(
			out, f,
			"perf sched record sleep 5; perf sched timehist -w; iostat -x 1; top -H: "
			"the reason for waiting, or one thread at 100 %%");
	}
	free(cpus);
}

static void idle_check(const struct rule_input *in, struct findings *out)
{
	struct fact_sum idle;
	struct finding *f;

	if (in->profile->functions.len == 0)
		return;
	idle = facts_category(in->profile, "idle");
	if (idle.self < IDLE_NOTE_PCT) {
		finding_clean(out, in, &rule_idle_machine, "%.1f %% idle", idle.self);
		return;
	}
	f = finding_add(
		out, in, &rule_idle_machine, FINDING_NOTE,
		signature_sure(in, &idle, IDLE_NOTE_PCT, idle.self >= IDLE_LEAD_PCT ? 92 : 85, 70));
	/* The impact is the idle share: code runs only in the rest of the time. */
	f->impact = idle.self;
	idle_words(in, out, f, idle.self);
	finding_because(out, f, "these functions run only when there is nothing to run");
	finding_figure_interval(f, "idle", idle.self, idle.low, idle.high, "%");
	finding_function(out, f, in, idle.top);
}

const struct rule rule_idle_machine = {
	.id = "idle-machine",
	.title = "Mostly idle machine",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = IDLE_NOTE_PCT,
	.check = idle_check,
	.is_measured = true,
};
