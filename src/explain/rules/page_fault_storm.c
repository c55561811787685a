/* SPDX-License-Identifier: MIT */
/*
 * Memory is touched for the first time over and over: memory is mapped, touched once and
 * given back, or a large area is touched for the first time.
 *
 * Thresholds, of the time that is not idle: A process in its steady state spends below 3 %
 * in faults.
 */
#include "explain/signature.h"

#define PAGE_FAULT_STORM_NOTE_PCT 12.0
#define PAGE_FAULT_STORM_LEAD_PCT 20.0

static const struct signature page_fault_storm = {
	.functions = "clear_page*|clear_huge_page*|clear_subpage|do_anonymous_page|"
		     "handle_mm_fault|__handle_mm_fault|handle_pte_fault|"
		     "asm_exc_page_fault|exc_page_fault|do_user_addr_fault|"
		     "__do_page_fault|do_page_fault|page_fault|wp_page_copy|do_wp_page|"
		     "do_fault*|filemap_map_pages|next_uptodate_*|vma_alloc_folio*|"
		     "alloc_anon_folio|lock_vma_under_rcu|folio_add_new_anon_rmap|"
		     "do_set_pte|set_pte_range|alloc_set_pte|do_cow_fault|do_read_fault|"
		     "do_huge_pmd_anonymous_page|__do_huge_pmd*|mem_cgroup_try_charge*|"
		     "do_fault_around|do_translation_fault|do_mem_abort|el0_da|"
		     "vma_alloc_zeroed*",
	/* pages are also cleared for the kernel's own use */
	.needs = "handle_mm_fault|__handle_mm_fault|do_anonymous_page|asm_exc_page_fault|"
		 "do_user_addr_fault|__do_page_fault|page_fault|exc_page_fault|do_page_fault|"
		 "handle_pte_fault|do_fault*|do_translation_fault|do_mem_abort",
	.under = "handle_mm_fault|__handle_mm_fault|asm_exc_page_fault|"
		 "do_user_addr_fault|__do_page_fault|do_page_fault",
	.through = "clear_*|do_anonymous_page|handle_*|__handle_*|asm_exc_*|"
		   "exc_page_fault|do_user_addr_fault|*do_page_fault|page_fault|"
		   "alloc_*|vma_*|do_*",
	.note_pct = PAGE_FAULT_STORM_NOTE_PCT,
	.lead_pct = PAGE_FAULT_STORM_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 78,
	.what = "is page faults and clearing of new pages",
	.name = "page faults and clearing of pages",
	.cause = "memory is mapped, touched once and given back; a large area, or pages of a file, "
		 "are touched for the first time; or pages are copied after a fork",
	.because = "each page that is touched first costs a fault; which pages they are a share "
		   "does not tell",
	.next = { "perf stat -e page-faults,minor-faults,major-faults -p PID sleep "
		  "10; perf trace -F all --no-syscalls",
		  "keep memory (pool, MALLOC_TRIM_THRESHOLD_, MALLOC_TOP_PAD_), "
		  "pre-fault (MAP_POPULATE), huge pages" },
};

const struct rule rule_page_fault_storm = {
	.id = "page-fault-storm",
	.title = "memory is touched for the first time over and over",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &page_fault_storm,
};
