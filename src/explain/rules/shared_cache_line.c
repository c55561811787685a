/* SPDX-License-Identifier: MIT */
/*
 * CPUs write one cache line: a reference count or a counter: many CPUs write the same
 * cache line, and each write waits until the line has come over.
 *
 * Thresholds, of the time that is not idle: A count that stays with its CPU costs below 1
 * %.
 */
#include "explain/signature.h"

#define SHARED_CACHE_LINE_NOTE_PCT 7.0
#define SHARED_CACHE_LINE_LEAD_PCT 20.0

static const struct signature shared_cache_line = {
	.functions = "lockref_*|dget_parent|dput|page_counter_*|refcount_*|__refcount_*|"
		     "__fget*|fget|fget_*|fput|fput_*|file_ref_*|percpu_ref_*|kref_*|"
		     "rcuref_*|dst_release*|dst_hold*|mntget|mntput*|mnt_get_count|"
		     "__sync_*|__aarch64_ldadd*|__aarch64_cas*|__aarch64_swp*|"
		     "__pi___lse*|__ll_sc_*|atomic_*|try_grab_*|folio_try_get*|"
		     "get_task_struct|__put_task_struct|sock_hold|ip_vs_conn_put|"
		     "aa_get_*|aa_put_*|apparmor_file_*|*::recordTick*|__atomic_*",
	.through = "lockref_*|dget*|dput|refcount_*|__fget*|fput*|atomic_*",
	.note_pct = SHARED_CACHE_LINE_NOTE_PCT,
	.lead_pct = SHARED_CACHE_LINE_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 72,
	.also_user = true,
	.needs_threads = true,
	.what = "goes into counts that CPUs share",
	.name = "reference counts and shared counters",
	.cause = "probably many CPUs write the same cache line, and each write waits until "
		 "the line has come over; or the reference is taken and dropped very often",
	.because = "these functions are a few instructions; a share does not tell whether they "
		   "wait for the line or are called very often",
	.next = { "perf c2c record -a sleep 10; perf c2c report --stdio: which line, "
		  "which structure",
		  "give each CPU its own count, take the reference once for many "
		  "operations, or leave it out" },
};

const struct rule rule_shared_cache_line = {
	.id = "shared-cache-line",
	.title = "CPUs write one cache line: a reference count or a counter",
	.needs = RULE_PROFILE,
	.signature = &shared_cache_line,
};
