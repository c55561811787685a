/* SPDX-License-Identifier: MIT */
/*
 * Address space is mapped and unmapped all the time: a mapping is made and removed for
 * each use, or large areas are given back.
 *
 * Thresholds, of the time that is not idle: Programs that keep their memory show below 2
 * %.
 */
#include "explain/signature.h"

#define MAPPING_CHURN_NOTE_PCT 6.0
#define MAPPING_CHURN_LEAD_PCT 15.0

static const struct signature mapping_churn = {
	.functions = "unmap_vmas|unmap_page_range|unmap_single_vma|zap_*|"
		     "find_next_iomem_res|tlb_finish_mmu|tlb_flush_mmu|free_pgtables|"
		     "free_pgd_range|unlink_*_vmas|mmap_region|__mmap_region|do_mmap|"
		     "vm_mmap_pgoff|__vm_munmap|do_vmi_*munmap|do_munmap|__do_munmap|"
		     "__split_vma|vma_merge*|vma_link|perf_event_mmap*|remap_pfn_range*|"
		     "track_pfn_*|untrack_pfn*|memtype_*|lookup_memtype|pat_pagerange*|"
		     "page_remove_rmap|folio_remove_rmap*|free_pages_and_swap_cache|"
		     "mas_wr_*|mas_store*|mas_split*|unmap_region|find_vma_prev|"
		     "vm_area_alloc|vm_area_dup",
	.under = "__vm_munmap|__x64_sys_munmap|vm_mmap_pgoff|do_munmap|do_vmi_munmap",
	.note_pct = MAPPING_CHURN_NOTE_PCT,
	.lead_pct = MAPPING_CHURN_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 80,
	.what = "maps and unmaps address space",
	.name = "mapping and unmapping",
	.cause = "a mapping is made and removed for each use, or large areas are "
		 "given back",
	.because = "these functions run for mmap, munmap and exit, not for the use of "
		   "memory",
	.next = { "perf trace -s -p PID sleep 5: how many mmap and munmap",
		  "map once and keep it; raise MALLOC_MMAP_THRESHOLD_ and "
		  "MALLOC_TRIM_THRESHOLD_" },
};

const struct rule rule_mapping_churn = {
	.id = "mapping-churn",
	.title = "address space is mapped and unmapped all the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &mapping_churn,
};
