/* SPDX-License-Identifier: MIT */
/*
 * A loop goes over all CPUs or threads: an exact sum or a search over every CPU or thread
 * is asked for in a hot path.
 *
 * Thresholds, of the time that is not idle: Walks over CPUs belong to slow paths: 1 to 3 %
 * comes from the scheduler's balancing.
 */
#include "explain/signature.h"

#define ALL_CPU_WALK_NOTE_PCT 5.0
#define ALL_CPU_WALK_LEAD_PCT 15.0

static const struct signature all_cpu_walk = {
	.functions = "cpumask_next*|_find_next_bit|_find_next_and_bit|find_next_bit|"
		     "find_next_and_bit|_find_first_bit|__percpu_counter_sum*|"
		     "percpu_counter_sum*|__percpu_counter_compare|"
		     "thread_group_cputime*|cputime_adjust|kstat_irqs*|nr_iowait*|"
		     "show_stat|housekeeping_cpumask|cpumask_any*|getrusage|"
		     "task_sched_runtime|proc_pid_schedstat|fold_diff|cpu_vm_stats_fold|"
		     "sched_show*",
	/* searches of bits go through queues, blocks and shrinkers as well */
	.needs = "cpumask_next*|cpumask_any*|__percpu_counter_sum*|percpu_counter_sum*|"
		 "__percpu_counter_compare|thread_group_cputime*|kstat_irqs*|nr_iowait*|"
		 "show_stat|housekeeping_cpumask",
	.under = "__percpu_counter_sum*|percpu_counter_sum*|thread_group_cputime*|"
		 "show_stat",
	.through = "cpumask_next*|_find_next*|find_next*|percpu_counter*|"
		   "__percpu_counter*",
	.note_pct = ALL_CPU_WALK_NOTE_PCT,
	.lead_pct = ALL_CPU_WALK_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 82,
	.what = "sums or searches over all CPUs or threads",
	.name = "walks over CPUs or threads",
	.cause = "an exact sum or a search over every CPU or thread is asked for in "
		 "a hot path",
	.because = "the cost of these functions is proportional to the number of CPUs "
		   "or threads",
	.next = { "perf record -a -g, and see who calls it",
		  "ask less often, use the approximate counter, or keep a running sum" },
};

const struct rule rule_all_cpu_walk = {
	.id = "all-cpu-walk",
	.title = "a loop goes over all CPUs or threads",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &all_cpu_walk,
};
