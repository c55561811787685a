/* SPDX-License-Identifier: MIT */
/*
 * The traced kernel is a debug kernel.
 * Thresholds: from 0.5 % of the trace; from 1 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature traced_debug_kernel = {
	.marker = "do_raw_spin_lock|do_raw_spin_unlock|do_raw_spin_trylock|do_raw_read_*|do_raw_"
		  "write_*|rcu_read_lock_held|rcu_read_lock_*_held|fs_reclaim_acquire|fs_reclaim_"
		  "release|lock_is_held_type|__might_fault|lockdep_*",
	.scope = "_raw_spin_lock*|mutex_lock*|kfree|__alloc_pages*",
	.note_pct = 0.5,
	.lead_pct = 1,
	.sure = 97,
	.what = "this is a debug kernel: functions that others do not have are called",
	.name = "visible checks",
	.cause = "built with debug options: spin lock debugging, lockdep, PROVE_RCU",
	.because = "in a production kernel these functions are empty or inlined",
	.next = "grep -E 'PROVE_LOCKING|DEBUG_SPINLOCK|PROVE_RCU|DEBUG_ATOMIC_SLEEP' "
		"/boot/config-$(uname -r); measure on another kernel",
};

const struct rule rule_traced_debug_kernel = {
	.id = "traced-debug-kernel",
	.title = "the traced kernel is a debug kernel",
	.needs = RULE_CALLS,
	.call_signature = &traced_debug_kernel,
};
