/* SPDX-License-Identifier: MIT */
/*
 * Tasks are woken and switched all the time: work is handed from thread to thread in small
 * pieces.
 *
 * Thresholds, of the time that is not idle: Servers with a thread per connection spend 5
 * to 10 %.
 */
#include "explain/signature.h"

#define WAKEUP_CHURN_NOTE_PCT 12.0
#define WAKEUP_CHURN_LEAD_PCT 25.0

static const struct signature wakeup_churn = {
	.functions = "try_to_wake_up|__schedule|schedule|finish_task_switch*|ttwu_*|"
		     "schedule_idle|__switch_to|__switch_to_asm|switch_mm*|"
		     "pick_next_task*|__pick_next*|pick_task_*|pick_eevdf|enqueue_task*|"
		     "dequeue_task*|enqueue_entity|dequeue_entit*|select_task_rq*|"
		     "update_curr*|prepare_task_switch|psi_*|wake_up_*|__wake_up*|"
		     "native_smp_send_reschedule|sched_ttwu_pending|check_preempt*|"
		     "wakeup_preempt*|resched_curr|set_next_*|put_prev_*|place_entity|"
		     "prepare_to_wait*|finish_wait|autoremove_wake_function|"
		     "reschedule_interrupt|sysvec_reschedule*|schedule_timeout*|"
		     "update_load_avg|update_cfs_group|reweight_entity",
	.note_pct = WAKEUP_CHURN_NOTE_PCT,
	.lead_pct = WAKEUP_CHURN_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 76,
	.what = "wakes tasks and switches between them",
	.name = "waking and switching tasks",
	.cause = "tasks sleep and are woken for small pieces of work: handed from thread to "
		 "thread, or one wait for each request, packet or timer",
	.because = "a switch costs a microsecond or two with what it does to caches: "
		   "much of it means many of them",
	.next = { "perf sched record sleep 5; perf sched latency; perf trace -s: who "
		  "wakes whom",
		  "batch the hand-over, poll for a moment before sleeping, put both "
		  "on one core or share its cache" },
};

const struct rule rule_wakeup_churn = {
	.id = "wakeup-churn",
	.title = "tasks are woken and switched all the time",
	.needs = RULE_PROFILE,
	.signature = &wakeup_churn,
};
