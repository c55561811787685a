/* SPDX-License-Identifier: MIT */
/*
 * Threads that have work and wait for a lock: of the program, of the kernel, or on a file.
 *
 * Thresholds, of the time that threads had work (they ran, or waited for a lock, storage,
 * memory or a CPU): a program whose locks are well cut has below 5 %; from a third on, more
 * threads do no more work.
 */
#include "explain/waiting.h"

static const struct waiting waiting_lock = {
	.kind = WAIT_LOCK,
	.note_pct = 10,
	.lead_pct = 30,
	.sure = 95,
	.what = "went by in waiting for locks",
	.name = "waiting for locks",
	.cause = "several threads want one lock, or who holds it runs long, waits or sleeps "
		 "meanwhile",
	.because = "each wait was measured, and a thread that asks for a lock has something to do",
	.next = { "assay report --off-cpu -g caller --sort comm,waker: which lock, and who gave it "
		  "back",
		  "hold it shorter (nothing slow inside), one for each part of the data, or no "
		  "shared data" },
};

static const char *const waiting_lock_overrules[] = { "few-samples", NULL };
static const char *const waiting_lock_explains[] = { "wakeup-churn", "user-lock", NULL };

const struct rule rule_waiting_lock = {
	.id = "waiting-lock",
	.title = "threads with work wait for locks",
	.needs = RULE_WAITS,
	.overrules = waiting_lock_overrules,
	.explains = waiting_lock_explains,
	.waiting = &waiting_lock,
};
