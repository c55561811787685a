/* SPDX-License-Identifier: MIT */
/*
 * Threads that have work and wait for memory: pages that a fault must bring in, or that
 * must be freed first.
 *
 * Thresholds, of the time that threads had work: a program that is warm waits for no
 * page; a twentieth is felt.
 */
#include "explain/waiting.h"

static const struct waiting waiting_memory = {
	.kind = WAIT_MEMORY,
	.note_pct = 5,
	.lead_pct = 20,
	.sure = 93,
	.what = "went by in waiting for memory",
	.name = "waiting for memory",
	.cause = "pages of files or of swap are read when they are touched, or memory must be "
		 "reclaimed first",
	.because = "each wait was measured, below a page fault or in reclaim",
	.next = { "perf trace -F all -p PID, vmstat 1 (si, so): major faults, swapping",
		  "more memory or a smaller limit of use, read ahead (MAP_POPULATE, madvise), "
		  "mlock "
		  "for what must not wait" },
};

static const char *const waiting_memory_overrules[] = { "few-samples", NULL };

const struct rule rule_waiting_memory = {
	.id = "waiting-memory",
	.title = "threads with work wait for memory",
	.needs = RULE_WAITS,
	.overrules = waiting_memory_overrules,
	.waiting = &waiting_memory,
};
