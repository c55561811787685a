/* SPDX-License-Identifier: MIT */
/*
 * Threads that have work and wait for storage: reads, and writes that must be on it.
 *
 * Thresholds, of the time that threads had work: what finds its data in memory has
 * below 5 %; a tenth is felt, and from a third on storage sets the pace.
 */
#include "explain/waiting.h"

static const struct waiting waiting_disk = {
	.kind = WAIT_DISK,
	.note_pct = 10,
	.lead_pct = 30,
	.sure = 95,
	.what = "went by in waiting for storage",
	.name = "waiting for storage",
	.cause = "data is not in memory, or is flushed (fsync, O_SYNC, a journal) before the "
		 "program goes on",
	.because = "each wait was measured, on stacks that only wait for storage",
	.next = { "assay report --off-cpu -g caller: which calls; biolatency or iostat -x 1: is "
		  "the device slow, or asked often",
		  "fewer and larger flushes (group commit), read ahead, io_uring or threads so "
		  "that "
		  "work goes on meanwhile, more memory" },
};

static const char *const waiting_disk_overrules[] = { "few-samples", NULL };

const struct rule rule_waiting_disk = {
	.id = "waiting-disk",
	.title = "threads with work wait for storage",
	.needs = RULE_WAITS,
	.overrules = waiting_disk_overrules,
	.waiting = &waiting_disk,
};
