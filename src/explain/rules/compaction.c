/* SPDX-License-Identifier: MIT */
/*
 * The kernel moves pages to make large ones: large pages are asked for (THP with defrag,
 * high-order allocations) while free memory is in pieces.
 *
 * Thresholds, of the time that is not idle: Compaction is invisible on a machine that does
 * not need it.
 */
#include "explain/signature.h"

#define COMPACTION_NOTE_PCT 5.0
#define COMPACTION_LEAD_PCT 12.0

static const struct signature compaction = {
	.functions = "compact_zone*|isolate_migratepages*|isolate_freepages*|"
		     "fast_isolate_*|migrate_pages*|migrate_folio*|unmap_and_move*|"
		     "compaction_*|khugepaged*|collapse_huge_page|collapse_file|"
		     "hpage_collapse_*|__alloc_pages_direct_compact|"
		     "try_to_compact_pages|release_freepages|kcompactd*|pageblock_skip*|"
		     "get_pfnblock_flags*|set_pfnblock_flags*|"
		     "remove_migration_*|pageblock_pfn*|__pageblock_pfn*|"
		     "reset_isolation_suitable|__reset_isolation*",
	/* pages are also moved for NUMA, tiers of memory, CMA and move_pages() */
	.needs = "compact_zone*|compaction_*|isolate_migratepages*|isolate_freepages*|"
		 "fast_isolate_*|kcompactd*|try_to_compact_pages|"
		 "__alloc_pages_direct_compact|khugepaged*|collapse_huge_page|"
		 "collapse_file|hpage_collapse_*",
	.note_pct = COMPACTION_NOTE_PCT,
	.lead_pct = COMPACTION_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 80,
	.what = "compacts memory for large pages",
	.name = "compaction of memory",
	.cause = "large pages are asked for (THP with defrag, high-order allocations) while free "
		 "memory is in pieces, or the kernel makes them in advance",
	.because = "isolating pages for compaction and collapsing them into large ones have no "
		   "other purpose",
	.next = { "cat /sys/kernel/mm/transparent_hugepage/{enabled,defrag}; grep -E "
		  "\"compact|thp\" /proc/vmstat",
		  "echo defer+madvise > /sys/kernel/mm/transparent_hugepage/defrag; "
		  "cat /proc/buddyinfo" },
};

const struct rule rule_compaction = {
	.id = "compaction",
	.title = "the kernel moves pages to make large ones",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &compaction,
};
