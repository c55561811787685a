/* SPDX-License-Identifier: MIT */
/*
 * Small functions around the work that are called for each operation and not inlined:
 * marks of read sections, counters of preemption, entries of trampolines and tracers,
 * checks of copied objects.
 *
 * Thresholds, of the time that is not idle: together they have 1 to 4 % on a kernel in
 * good health.
 */
#include "explain/signature.h"

#define SMALL_HELPERS_NOTE_PCT 8.0
#define SMALL_HELPERS_LEAD_PCT 18.0

static const struct signature small_helpers = {
	.functions = "migrate_enable|migrate_disable|__rcu_read_lock|__rcu_read_unlock|"
		     "rcu_read_unlock_strict|rcu_read_unlock_special|"
		     "__local_bh_enable_ip|__local_bh_disable_ip|local_bh_enable|"
		     "local_bh_disable|bpf_trampoline_*|__bpf_prog_enter*|"
		     "__bpf_prog_exit*|__cant_migrate|__cond_resched|_cond_resched|"
		     "rcu_all_qs|__srcu_read_lock|__srcu_read_unlock|"
		     "__check_object_size*|__check_heap_object|check_stack_object|"
		     "__virt_addr_valid|__rcu_read_lock_*|arch_rethook_*|rethook_*|"
		     "fprobe_*|klp_ftrace_handler|__fentry__|mcount|_mcount",
	.note_pct = SMALL_HELPERS_NOTE_PCT,
	.lead_pct = SMALL_HELPERS_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 68,
	.what = "goes into small helpers around the work",
	.name = "small helpers",
	.cause = "they are called for each operation and not inlined, or the "
		 "operation itself is so short that what stands around it costs as "
		 "much",
	.because = "each of them is a few instructions: this share is their number",
	.next = { "perf record -g: who calls them so often; do more in one call "
		  "(batches), leave a layer out",
		  "kernel options: PREEMPT_RCU, HARDENED_USERCOPY, function tracing "
		  "and live patches add such calls" },
};

const struct rule rule_small_helpers = {
	.id = "small-helpers",
	.title = "small functions around the work are a good part of it",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &small_helpers,
};
