/* SPDX-License-Identifier: MIT */
/*
 * A list of cached objects is walked again and again: the list holds entries that are in
 * use or may not be freed, and each walk meets them again.
 *
 * Thresholds, of the time that is not idle: A shrinker that finds objects to free costs
 * about 1 %.
 */
#include "explain/signature.h"

#define LRU_LIST_WALK_NOTE_PCT 5.0
#define LRU_LIST_WALK_LEAD_PCT 15.0

static const struct signature lru_list_walk = {
	.functions = "__list_lru_walk_one|list_lru_walk*|nfsd_file_lru_cb|*_lru_isolate|"
		     "*_lru_isolate_shared|*_lru_cb|xfs_buftarg_isolate|"
		     "list_lru_count_one|list_lru_isolate*",
	.note_pct = LRU_LIST_WALK_NOTE_PCT,
	.lead_pct = LRU_LIST_WALK_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 70,
	.what = "walks lists of cached objects",
	.name = "walks of cached objects",
	.cause = "much is freed, or the list holds entries that are in use or may not be freed, "
		 "and each walk meets them again",
	.because = "these functions only walk such lists; how much of what they meet is freed a "
		   "share does not tell",
	.next = { "perf trace -e vmscan:mm_shrink_slab_* -a sleep 10: objects "
		  "scanned against freed",
		  "cat /proc/meminfo /proc/slabinfo: which cache is large" },
};

const struct rule rule_lru_list_walk = {
	.id = "lru-list-walk",
	.title = "a list of cached objects is walked again and again",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &lru_list_walk,
};
