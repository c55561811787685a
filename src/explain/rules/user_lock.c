/* SPDX-License-Identifier: MIT */
/*
 * Threads of the program wait for each other: several want one mutex, spin lock or allocator
 * arena at once.
 *
 * Thresholds, of the non-idle time: healthy programs with threads spend 2 to 5 % in uncontended
 * locks.
 */
#include "explain/signature.h"

#include "explain/facts.h"
#include "explain/rule.h"
#include "explain/user_lock_names.h"

DECLARE_RULE(user_lock);

#define USER_LOCK_NOTE_PCT 10.0
#define USER_LOCK_LEAD_PCT 20.0

#define USER_LOCK_PART 0.25 /* least part of the share that is waiting */

static const struct signature user_lock = {
	.functions = USER_LOCK_FUNCTIONS,
	.through = USER_LOCK_THROUGH,
	.note_pct = USER_LOCK_NOTE_PCT,
	.lead_pct = USER_LOCK_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 78,
	.is_user = true,
	.what = "is waiting for locks of the program",
	.name = "locks of user code",
	.cause = "Threads want one mutex, spin lock or allocator arena at once (lock contention), "
		 "or hand over work by sleeping and waking",
	.because = "a good part is in functions that run when a lock is not free, or waits in the "
		   "kernel",
	.next = { "perf record -g -e syscalls:sys_enter_futex -p PID, or perf lock contention "
		  "-abu: which lock, who waits",
		  "hold the lock for less time or split it; one arena or queue per thread" },
};

/* An uncontended mutex costs some ten cycles; many of them a considerable share. */
static const struct signature user_locking = {
	.functions = USER_LOCK_FUNCTIONS,
	.through = USER_LOCK_THROUGH,
	.note_pct = USER_LOCK_NOTE_PCT,
	.lead_pct = USER_LOCK_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 65,
	.is_user = true,
	.what = "is taking and releasing locks of the program",
	.name = "locks of user code",
	.cause = "Locks are taken very often, or several threads want one lock. Taking a mutex is "
		 "slow when other CPUs write its cache line",
	.because =
		"these functions are the fast paths of locks; hardly anything waits in the kernel",
	.next = { "perf annotate: samples after the locked instruction are the cache line; perf "
		  "c2c record: who else writes it",
		  "take the lock once for several pieces of work, or use one lock per thread" },
};

static void user_lock_check(const struct rule_input *in, struct findings *out)
{
	const struct signature *s = &user_lock;
	struct signature_share share;
	double contended;
	double waits;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_user_lock))
		return;
	share = signature_measure(in, s);
	waits = facts_sum(in->profile, USER_LOCK_WAITS).self;
	contended = facts_under(in->profile, USER_LOCK_CONTENDED);
	if (waits < share.sum.self * USER_LOCK_PART && contended < share.sum.self * USER_LOCK_PART)
		s = &user_locking;
	if (!signature_find(in, out, &rule_user_lock, s, &share))
		signature_rule_out(in, out, &rule_user_lock, s, &share);
}

const struct rule rule_user_lock = {
	.id = "user-lock",
	.title = "User-space lock contention",
	.needs = RULE_PROFILE,
	.signature = &user_lock,
	.check = user_lock_check,
};
