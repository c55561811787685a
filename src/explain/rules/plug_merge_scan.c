/* SPDX-License-Identifier: MIT */
/*
 * Requests are compared with all of a long plug list: each new bio is compared with what
 * is plugged or queued, and seldom merges.
 *
 * Thresholds, of the time that is not idle: A merge that pays costs 1 to 2 %.
 */
#include "explain/signature.h"

#define PLUG_MERGE_SCAN_NOTE_PCT 5.0
#define PLUG_MERGE_SCAN_LEAD_PCT 15.0

static const struct signature plug_merge_scan = {
	.functions = "blk_attempt_plug_merge|blk_attempt_bio_merge*|"
		     "blk_mq_sched_bio_merge|blk_bio_list_merge|elv_merge|"
		     "blk_mq_sched_try_merge|elv_attempt_insert_merge|blk_try_merge|"
		     "bio_attempt_*_merge|elv_rqhash_find|dd_bio_merge|bfq_bio_merge",
	.note_pct = PLUG_MERGE_SCAN_NOTE_PCT,
	.lead_pct = PLUG_MERGE_SCAN_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 72,
	.what = "looks for a request to merge with",
	.name = "merging of block requests",
	.cause = "each new bio is compared with requests that are plugged or queued; whether it "
		 "merges this profile does not show",
	.because = "these functions only compare; merging that succeeds makes fewer "
		   "requests",
	.next = { "cat /sys/block/DEVICE/queue/nomerges; echo 2 there and measure "
		  "again",
		  "iostat -x 1: merges per second (rrqm/s, wrqm/s) against requests" },
};

const struct rule rule_plug_merge_scan = {
	.id = "plug-merge-scan",
	.title = "requests are compared with all of a long plug list",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &plug_merge_scan,
};
