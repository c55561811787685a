/* SPDX-License-Identifier: MIT */
/*
 * A periodic walk runs in one go: a timer visits all entries in one run, with soft
 * interrupts off.
 *
 * Thresholds, of the time that is not idle: A walk that is invisible in the mean can still
 * hold a CPU for milliseconds: 1.5 % of all CPUs is one CPU at 100 % of 64.
 */
#include "explain/signature.h"

#define TIMER_WALK_NOTE_PCT 1.5
#define TIMER_WALK_LEAD_PCT 8.0

static const struct signature timer_walk = {
	.functions = "estimation_timer|est_timer|ip_vs_estimat*|neigh_periodic_work|"
		     "fib6_run_gc|fib6_age*|*_gc_work|*_gc_worker|*_gc_timer|"
		     "br_fdb_cleanup|dst_gc_task|rt_check_expire|"
		     "inet_frag_worker|vmstat_shepherd|xfrm_hash_re*|"
		     "flow_offload_work_handler|nf_flow_offload_gc*|htable_gc|"
		     "hrtimer_walk_all",
	.note_pct = TIMER_WALK_NOTE_PCT,
	.lead_pct = TIMER_WALK_LEAD_PCT,
	.sure_note = 55,
	.sure_lead = 68,
	.what = "is a walk over a whole table from a timer",
	.name = "periodic walks of tables",
	.cause = "a timer or a work item visits all entries in one run",
	.because = "by their names these functions visit all entries; how long one run lasts a "
		   "profile does not show",
	.next = { "trace-cmd record -p function_graph -l FUNCTION sleep 10: how long "
		  "is one run",
		  "split the walk into slices, or run it from a kernel thread" },
};

const struct rule rule_timer_walk = {
	.id = "timer-walk",
	.title = "a periodic walk runs in one go",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &timer_walk,
};
