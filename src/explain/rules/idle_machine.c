/* SPDX-License-Identifier: MIT */
/*
 * The machine was mostly idle. A slow workload then waits for a disk, a sleeping lock or the
 * network, and a CPU profile does not show waits.
 *
 * Thresholds: half of the time idle is a note. At 80 % or more, CPU time seldom explains slowness.
 * The share is of all CPUs: one busy CPU of 32 is 97 % idle.
 */
#include "explain/signatures/signature.h"

#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(idle_machine);

#define IDLE_NOTE_PCT 50.0
#define IDLE_LEAD_PCT 80.0

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
	f->impact = 0;
	finding_claim(out, f,
		      "%.1f %% of %s is idle: the machine waits, and the other shares divide the "
		      "remaining %.1f %%",
		      idle.self, in->profile->unit.of, in->profile->busy);
	finding_cause(out, f,
		      "The slow part waits for a device, a sleeping lock or the network. Or one "
		      "thread is busy while other CPUs idle");
	finding_because(out, f, "these functions run only when there is nothing to run");
	finding_figure_interval(f, "idle", idle.self, idle.low, idle.high, "%");
	finding_function(out, f, in, idle.top);
	finding_next(out, f,
		     "perf sched timehist; iostat -x 1; top -H: the reason for waiting, or one "
		     "thread at 100 %%");
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
