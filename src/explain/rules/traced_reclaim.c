/* SPDX-License-Identifier: MIT */
/*
 * Reclaim of memory in a function graph: what has to run, or to wait, because memory is
 * short.
 * Thresholds: 10 % of the trace for a note, 25 % for a warning: a machine with free memory
 * reclaims in the background and little.
 */
#include "explain/call_signature.h"

static const struct call_signature traced_reclaim = {
	.marker = "shrink_*|do_shrink_slab|super_cache_scan|*_reclaim_inodes*|"
		  "*_reclaim_slab*|try_to_free_*|do_try_to_free_pages|balance_pgdat|"
		  "kswapd*|prune_icache_sb|prune_dcache_sb|__alloc_pages_direct_reclaim|"
		  "__perform_reclaim|reclaim_*|congestion_wait|wait_iff_congested|"
		  "reclaim_throttle|throttle_direct_reclaim|compact_zone*|"
		  "try_to_compact_pages|__alloc_pages_direct_compact|"
		  "balance_dirty_pages|mem_cgroup_*reclaim*|"
		  "node_reclaim|zone_reclaim|*_shrink_scan|*_shrinker_scan|arc_kmem_reap*",
	.scope = "__alloc_pages*|alloc_pages*|get_page_from_freelist|kmem_cache_alloc*|"
		 "__kmalloc*|filemap_*|generic_perform_write|handle_mm_fault",
	.note_pct = 10,
	.lead_pct = 25,
	.usual_ns = 50000,
	.sure = 88,
	.what = "memory is reclaimed here",
	.name = "reclaim",
	.cause = "memory is short: pages, inodes and dentries are freed or written back "
		 "while somebody waits",
	.because = "these functions run only to get memory back",
	.next = "vmstat 1; grep -E 'allocstall|pgscan|pgsteal|compact' /proc/vmstat; "
		"trace with the vmscan events; which shrinker is slow, and does it "
		"wait for I/O",
};

const struct rule rule_traced_reclaim = {
	.id = "traced-reclaim",
	.title = "reclaim in a function graph",
	.needs = RULE_CALLS,
	.call_signature = &traced_reclaim,
};
