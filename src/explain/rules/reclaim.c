/* SPDX-License-Identifier: MIT */
/*
 * The kernel searches for memory to free: memory is short, or a shrinker is asked again
 * and again and frees little.
 *
 * Thresholds, of the time that is not idle: A machine with free memory shows next to
 * nothing here; streaming through the page cache costs 2 to 5 %.
 */
#include "explain/signature.h"

#define RECLAIM_NOTE_PCT 6.0
#define RECLAIM_LEAD_PCT 15.0

static const struct signature reclaim = {
	.functions = "shrink_*|do_shrink_slab|super_cache_*|isolate_lru_*|"
		     "isolate_folios|__isolate_lru_page|arc_kmem_reap*|arc_reap*|"
		     "arc_evict*|xfs_reclaim_*|kswapd*|balance_pgdat|try_to_free_*|"
		     "prune_*|evict_folios|lru_gen_*|scan_folios|page_referenced*|"
		     "folio_referenced*|page_check_references|spl_kmem_cache_reap*|"
		     "__spl_kmem_cache_generic*|drop_buffers|__remove_mapping|"
		     "move_folios_to_lru|move_active_pages*|list_lru_*|"
		     "__list_lru_walk_one|workingset_*|do_try_to_free_pages|"
		     "throttle_direct_reclaim|get_scan_count|lru_note_cost*|"
		     "inactive_list_is_low|pageout|add_to_swap*|swap_writepage*|zswap_*",
	/* names are dropped when a process or a directory ends, too; halt polling shrinks */
	.except = "shrink_dcache_*|shrink_dentry_list|shrink_lock_dentry|shrink_halt_poll*|"
		  "shrink_huge_zero*|shrink_submounts",
	.needs = "shrink_slab*|shrink_node*|shrink_lruvec|shrink_*_list|shrink_folio*|shrink_zone*|"
		 "shrink_many|shrink_one|do_shrink_slab|isolate_lru_*|kswapd*|super_cache_*|"
		 "arc_kmem_reap*|arc_reap*|arc_evict*|xfs_reclaim_*|evict_folios|try_to_free_*",
	.under = "shrink_node*|balance_pgdat|try_to_free_pages|shrink_slab",
	.note_pct = RECLAIM_NOTE_PCT,
	.lead_pct = RECLAIM_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 82,
	.what = "reclaims memory",
	.name = "reclaim of memory",
	.cause = "memory of the machine or of a control group is short, or a shrinker is asked "
		 "again and again and frees little",
	.because = "these functions run to get memory back: below its marks, at a limit, or "
		   "because somebody asked (drop_caches, memory.reclaim)",
	.next = { "grep -E \"pgscan|pgsteal|allocstall|kswapd\" /proc/vmstat twice, "
		  "10 s apart: scanned against stolen",
		  "cat /proc/pressure/memory; free -m; raise vm.min_free_kbytes or "
		  "lower the use; look at the shrinker named here" },
};

const struct rule rule_reclaim = {
	.id = "reclaim",
	.title = "the kernel searches for memory to free",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &reclaim,
};
