/* SPDX-License-Identifier: MIT */
/*
 * Threads leave the CPU because they wait for storage: reads, writes, flushes. Of samples
 * of context switches, which say how often, not for how long.
 *
 * Thresholds, of the switches: a program that has its data in memory has below 5 %.
 */
#include "explain/sleeping.h"

static const struct waiting sleeping_disk = {
	.kind = WAIT_DISK,
	.note_pct = 10,
	.lead_pct = 30,
	.sure = 85,
	.what = "wait for storage",
	.name = "waiting for storage",
	.cause = "data is not in memory, or each step waits until it is on the disk",
	.because = "the stack of each switch says what the thread asked of storage; how long it "
		   "took is not in the recording",
	.next = { "assay record --off-cpu: how long; iostat -x 1: is the device busy",
		  "read ahead or more at once; flush less often (group commit); keep the data in "
		  "memory" },
};

const struct rule rule_sleeping_disk = {
	.id = "sleeping-disk",
	.title = "threads go to sleep for storage",
	.needs = RULE_PROFILE,
	.events = EVENT_BIT(EVENT_SLEEP),
	.sleeping = &sleeping_disk,
};
