/* SPDX-License-Identifier: MIT */
/*
 * Address space is mapped and unmapped all the time: each use creates and removes a mapping, or
 * large areas are released.
 *
 * Thresholds, of the non-idle time: programs that keep their memory show below 2 %.
 */
#include "explain/signature.h"

#include "analyses/event_unit.h"
#include "explain/facts.h"
#include "explain/rule.h"

DECLARE_RULE(mapping_churn);

#define MAPPING_CHURN_NOTE_PCT 6.0
#define MAPPING_CHURN_LEAD_PCT 15.0

#define MAPPING_FUNCTIONS                                                    \
	"unmap_vmas|unmap_page_range|unmap_single_vma|zap_*|"                \
	"find_next_iomem_res|tlb_finish_mmu|tlb_flush_mmu|free_pgtables|"    \
	"free_pgd_range|unlink_*_vmas|mmap_region|__mmap_region|do_mmap|"    \
	"vm_mmap_pgoff|__vm_munmap|do_vmi_*munmap|do_munmap|__do_munmap|"    \
	"__split_vma|vma_merge*|vma_link|perf_event_mmap*|remap_pfn_range*|" \
	"track_pfn_*|untrack_pfn*|memtype_*|lookup_memtype|pat_pagerange*|"  \
	"page_remove_rmap|folio_remove_rmap*|free_pages_and_swap_cache|"     \
	"mas_wr_*|mas_store*|mas_split*|unmap_region|find_vma_prev|"         \
	"vm_area_alloc|vm_area_dup"
#define MAPPING_UNDER "__vm_munmap|__x64_sys_munmap|vm_mmap_pgoff|do_munmap|do_vmi_munmap"
/* One of these is required: pages are also unmapped at exit and in reclaim. */
#define MAPPING_CALLS                                                                         \
	MAPPING_UNDER "|__x64_sys_mmap|__arm64_sys_munmap|__arm64_sys_mmap|mmap_region|"      \
		      "__mmap_region|do_mmap|do_vmi_*munmap|__do_munmap|find_next_iomem_res|" \
		      "track_pfn_*|untrack_pfn*|memtype_*|lookup_memtype|vma_merge*|__split_vma"

static const struct signature mapping_churn = {
	.functions = MAPPING_FUNCTIONS,
	.needs = MAPPING_CALLS,
	.under = MAPPING_UNDER,
	.note_pct = MAPPING_CHURN_NOTE_PCT,
	.lead_pct = MAPPING_CHURN_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 76,
	.what = "is mapping and unmapping memory",
	.name = "mapping and unmapping",
	.cause = "Mappings are created and removed often, or large areas are unmapped",
	.because = "functions of mmap() and munmap() are in the profile",
	.next = { "perf trace -s -p PID sleep 5: how many mmap and munmap",
		  "map once and keep the mapping; raise MALLOC_MMAP_THRESHOLD_ and "
		  "MALLOC_TRIM_THRESHOLD_" },
};

/* The same functions without mmap() or munmap(). */
static const struct signature mapping_end = {
	.functions = MAPPING_FUNCTIONS,
	.note_pct = MAPPING_CHURN_NOTE_PCT,
	.lead_pct = MAPPING_CHURN_LEAD_PCT,
	.sure_note = 55,
	.sure_lead = 60,
	.is_minor = true,
	.what = "is page tables and unmapping of pages",
	.name = "mapping and unmapping",
	.cause = "A process ends, memory is returned, or pages are unmapped for reclaim or "
		 "migration. The profile cannot tell which",
	.because = "these functions run in all of these cases; neither mmap() nor munmap() is in "
		   "the profile",
	.next = { "perf record -a -g sleep 10: callers such as exit_mmap, madvise or reclaim",
		  "perf trace -s -p PID sleep 5: how many mmap, munmap, madvise, exit" },
};

static void mapping_churn_check(const struct rule_input *in, struct findings *out)
{
	const struct signature *s = &mapping_churn;
	struct signature_share share;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_mapping_churn))
		return;
	share = signature_measure(in, s);
	if (!share.has_needs) {
		s = &mapping_end;
		share = signature_measure(in, s);
	}
	if (!signature_find(in, out, &rule_mapping_churn, s, &share))
		signature_rule_out(in, out, &rule_mapping_churn, s, &share);
}

const struct rule rule_mapping_churn = {
	.id = "mapping-churn",
	.title = "Memory mapping churn",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &mapping_churn,
	.check = mapping_churn_check,
};
