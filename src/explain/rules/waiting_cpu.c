/* SPDX-License-Identifier: MIT */
/*
 * Threads that could run and have no CPU: after they were woken, or another took theirs.
 *
 * Thresholds, of the time that threads had work: below 5 % on a machine with CPUs to
 * spare; at half, each piece of work takes twice as long.
 */
#include "explain/waiting.h"

static const struct waiting waiting_cpu = {
	.kind = WAIT_CPU,
	.note_pct = 10,
	.lead_pct = 30,
	.sure = 96,
	.what = "went by without a CPU, although they could run",
	.name = "waiting for a CPU",
	.cause = "more threads that can run than CPUs that they may use: too many of the program's "
		 "own, others on the machine, a quota (cpu.max) or an affinity",
	.because = "measured from the wake-up, or from being preempted, until it ran",
	.next = { "vmstat 1 (r), nproc, cat cpu.max cpu.stat of its control group, taskset -p PID",
		  "assay report --off-cpu --sort comm,wait: who waits; perf sched timehist: who "
		  "ran "
		  "there",
		  "as many working threads as CPUs; take the others away; a larger quota" },
};

static const char *const waiting_cpu_overrules[] = { "few-samples", NULL };

const struct rule rule_waiting_cpu = {
	.id = "waiting-cpu",
	.title = "threads could run and had no CPU",
	.needs = RULE_WAITS,
	.overrules = waiting_cpu_overrules,
	.waiting = &waiting_cpu,
};
