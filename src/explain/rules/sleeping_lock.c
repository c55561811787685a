/* SPDX-License-Identifier: MIT */
/*
 * Threads leave the CPU because they wait for a lock: of the program, of the kernel, or on
 * a file. Of samples of context switches, which say how often, not for how long.
 *
 * Thresholds, of the switches: a program whose locks are well cut has below 5 %; from a
 * third on, handing locks over is what makes it switch.
 */
#include "explain/sleeping.h"

static const struct waiting sleeping_lock = {
	.kind = WAIT_LOCK,
	.note_pct = 10,
	.lead_pct = 30,
	.sure = 90,
	.what = "wait for a lock",
	.name = "waiting for locks",
	.cause = "several threads want one lock, or who holds it runs long, waits or sleeps "
		 "meanwhile",
	.because = "the stack of each switch says which lock function it was in; how long it took "
		   "is not in the recording",
	.next = { "assay record --off-cpu: how long, and who gave the lock back",
		  "hold it shorter (nothing slow inside), one for each part of the data, or no "
		  "shared data" },
};

const struct rule rule_sleeping_lock = {
	.id = "sleeping-lock",
	.title = "threads go to sleep for locks",
	.needs = RULE_PROFILE,
	.events = EVENT_BIT(EVENT_SLEEP),
	.sleeping = &sleeping_lock,
};
