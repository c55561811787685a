/* SPDX-License-Identifier: MIT */
/*
 * Waiting for locks in a function graph: the slow paths that run only when a
 * lock is held by somebody else.
 * Thresholds: any call; from 5 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature traced_lock_wait = {
	.marker = "native_queued_spin_lock_slowpath|queued_spin_lock_slowpath|"
		  "pv_queued_spin_lock_slowpath|__pv_queued_spin_lock_slowpath|"
		  "queued_read_lock_slowpath|queued_write_lock_slowpath|__mutex_lock*_slowpath|"
		  "mutex_optimistic_spin|osq_lock|rwsem_down_read_slowpath|"
		  "rwsem_down_write_slowpath|rwsem_down_read_failed|rwsem_down_write_failed|"
		  "__lock_sock|rt_mutex_slowlock*|__percpu_down_read",
	.scope = "_raw_spin_lock*|_raw_read_lock*|_raw_write_lock*|mutex_lock*|down_read*|"
		 "down_write*|lock_sock_nested",
	.note_pct = 0,
	.lead_pct = 5,
	.sure = 95,
	.what = "locks were held by somebody else and had to be waited for",
	.name = "waiting for locks",
	.cause = "another CPU or task holds the lock",
	.because = "these functions run only when a lock is not free",
	.next = "perf lock contention -ab sleep 10; assay calls --under FUNCTION shows who waits",
};

const struct rule rule_traced_lock_wait = {
	.id = "traced-lock-wait",
	.title = "waiting for locks in a function graph",
	.needs = RULE_CALLS,
	.call_signature = &traced_lock_wait,
};
