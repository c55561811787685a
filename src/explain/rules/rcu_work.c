/* SPDX-License-Identifier: MIT */
/*
 * Objects are freed by RCU in large numbers, or code waits for its grace periods.
 *
 * Thresholds, of the time that is not idle: below 4 % on machines in good health.
 */
#include "explain/signature.h"

#define RCU_WORK_NOTE_PCT 10.0
#define RCU_WORK_LEAD_PCT 22.0

static const struct signature rcu_work = {
	.functions = "call_rcu*|__call_rcu*|rcu_do_batch|rcu_core|rcu_core_si|"
		     "rcu_cblist_*|rcu_segcblist_*|rcu_nocb_*|rcu_process_callbacks|"
		     "kvfree_call_rcu|kvfree_rcu_*|kfree_rcu_*|kfree_call_rcu|"
		     "__kvfree_*rcu*|rcu_gp_*|rcu_report_*|rcu_check_*|"
		     "rcu_sched_clock_irq|note_gp_changes|synchronize_rcu*|"
		     "synchronize_srcu*|srcu_gp_*|srcu_invoke_*|force_qs_rnp|"
		     "rcu_implicit_dynticks_qs|dyntick_save_progress_counter|i_callback|"
		     "file_free_rcu|__d_free|radix_tree_node_rcu_free|nf_ct_free_hash*",
	.through = "call_rcu*|__call_rcu*|kvfree_*|rcu_*",
	.note_pct = RCU_WORK_NOTE_PCT,
	.lead_pct = RCU_WORK_LEAD_PCT,
	.sure_note = 58,
	.sure_lead = 68,
	.what = "goes into RCU: freeing and grace periods",
	.name = "freeing by RCU and its grace periods",
	.cause = "objects (files, dentries, routes, connections) are made and "
		 "dropped in large numbers, and each goes through a queue before it "
		 "is free; or grace periods are asked for often",
	.because = "these functions only queue and run what is freed later; which "
		   "objects they free their callers tell",
	.next = { "perf record -g: who calls call_rcu and kvfree_rcu; slabtop: which "
		  "caches turn over",
		  "keep objects and use them again; move callbacks away from busy "
		  "CPUs (rcu_nocbs=)" },
};

const struct rule rule_rcu_work = {
	.id = "rcu-work",
	.title = "freeing by RCU is a good part of the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &rcu_work,
};
