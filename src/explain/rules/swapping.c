/* SPDX-License-Identifier: MIT */
/*
 * Pages are read back from swap or squeezed into zram or zswap: what is in use does not fit.
 *
 * Thresholds, of the time that is not idle: A machine that swaps out idle pages once
 * has below 0.5 %.
 */
#include "explain/signature.h"

#define SWAPPING_NOTE_PCT 2.0
#define SWAPPING_LEAD_PCT 8.0

static const struct signature swapping = {
	.functions = "do_swap_page|swap_readpage*|swap_read_folio*|"
		     "swapin_readahead|swap_cluster_readahead|swap_vma_readahead|"
		     "swap_free*|__swap_duplicate|swap_duplicate|"
		     "__swap_entry_free*|swap_entry_free|swap_range_*|"
		     "scan_swap_map*|get_swap_page*|folio_alloc_swap|"
		     "get_swap_pages|cluster_alloc_*|add_to_swap*|"
		     "delete_from_swap_cache|__delete_from_swap_cache|"
		     "read_swap_cache*|__read_swap_cache*|lookup_swap_cache|"
		     "swap_cache_get_folio|zram_*|zs_*|zcomp_*|zswap_*|zbud_*|"
		     "z3fold_*|frontswap_*|free_swap_*|swap_writepage*|swap_slot*|"
		     "end_swap_bio_*|try_to_unuse|lzo1x_*|lzorle_*|"
		     "shadow_lru_isolate",
	.needs = "do_swap_page|swap_readpage*|swap_read_folio*|"
		 "swapin_readahead|zram_*|zswap_*|get_swap_page*|"
		 "scan_swap_map*|folio_alloc_swap|swap_writepage*",
	.through = "swap*|__swap*|do_swap_page|zram_*|zs_*|zswap_*",
	.note_pct = SWAPPING_NOTE_PCT,
	.lead_pct = SWAPPING_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 82,
	.what = "swaps pages out and in",
	.name = "swapping and compressing of pages",
	.cause = "what is in use does not fit into memory, or into the limit of a control group",
	.because = "these functions run for pages that are pushed out and read back, and for a "
		   "zram device with files on it",
	.next = { "vmstat 1: si and so; /proc/pressure/memory; smem or memory.swap.current: whose",
		  "give memory, limit the offender by memory.high, or lower what it caches; "
		  "vm.swappiness does not make memory" },
};

const struct rule rule_swapping = {
	.id = "swapping",
	.title = "memory is swapped or compressed",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &swapping,
};
