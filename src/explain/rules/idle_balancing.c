/* SPDX-License-Identifier: MIT */
/*
 * The scheduler looks for work on other CPUs: CPUs that go idle for moments search all
 * others for work; on many CPUs the search is long.
 *
 * Thresholds, of the time that is not idle: Balancing costs 1 to 4 % where tasks sleep
 * often.
 */
#include "explain/signature.h"

#define IDLE_BALANCING_NOTE_PCT 8.0
#define IDLE_BALANCING_LEAD_PCT 20.0

static const struct signature idle_balancing = {
	.functions = "update_sd_lb_stats*|update_sg_lb_stats*|newidle_balance|"
		     "sched_balance_*|find_busiest_*|load_balance|_nohz_idle_balance*|"
		     "nohz_*balance*|rebalance_domains|run_rebalance_domains|"
		     "update_blocked_averages|available_idle_cpu|idle_cpu|cpu_util|"
		     "select_idle_*|find_idlest_*|idle_balance|__update_blocked*|"
		     "tg_load_down|sched_numa_find*",
	.note_pct = IDLE_BALANCING_NOTE_PCT,
	.lead_pct = IDLE_BALANCING_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 74,
	.what = "balances load between CPUs",
	.name = "balancing of the scheduler",
	.cause = "CPUs that go idle for moments search all others for work, or wake-ups search "
		 "for an idle CPU; on many CPUs, or with many control groups, that is long",
	.because = "these functions run when a CPU is about to idle, or places a "
		   "task; they are no load by themselves",
	.next = { "perf sched record sleep 5; perf sched latency: how many switches "
		  "and how short",
		  "fewer wake-ups, pinned threads, smaller scheduling domains "
		  "(cpusets)" },
};

const struct rule rule_idle_balancing = {
	.id = "idle-balancing",
	.title = "the scheduler looks for work on other CPUs",
	.needs = RULE_PROFILE,
	.signature = &idle_balancing,
};
