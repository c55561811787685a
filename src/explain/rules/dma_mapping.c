/* SPDX-License-Identifier: MIT */
/*
 * Mapping memory for devices costs: each buffer is mapped and unmapped for the device:
 * IOMMU invalidation in strict mode, bounce buffers, or cache maintenance of a device that
 * is not coherent.
 *
 * Thresholds, of the time that is not idle: A coherent device without IOMMU shows below 2
 * %.
 */
#include "explain/signature.h"

#define DMA_MAPPING_NOTE_PCT 8.0
#define DMA_MAPPING_LEAD_PCT 15.0

static const struct signature dma_mapping = {
	.functions = "arm_smmu_*|iommu_*|__iommu_*|qi_submit_sync|intel_iommu_*|"
		     "alloc_iova*|free_iova*|__alloc_and_insert_iova*|iova_*|fq_flush*|"
		     "queue_iova|fq_ring_free*|swiotlb_*|__pi___inval_dcache*|"
		     "__pi___clean_dcache*|__inval_dcache*|__clean_dcache*|"
		     "__flush_dcache*|__pi_dcache_*|__pi___dma_*|dcache_inval*|"
		     "dcache_clean*|dma_map_*|dma_unmap_*|dma_sync_*|dma_alloc_*|dma_free_*|"
		     "dma_common_*|dma_cache_maint*|dma_capable*|dma_addressing*|"
		     "__dma_map*|__dma_unmap*|__dma_inv*|__dma_clean*|__dma_flush*|"
		     "__dma_page*|___dma_page*|__dma_sync*|arch_sync_dma*|v7_dma_*|"
		     "v7_flush*|l2c_*|l2c2*|l2c3*|feroceon_*|arm_lpae_*|__arm_lpae*|"
		     "amd_iommu*|iommu_v1_*|domain_mapping|__domain_mapping|dma_pte_*|"
		     "cache_tag_flush*|clflush_cache_range|drm_clflush*|arm_dma_*|"
		     "xen_swiotlb*|dma_direct_*",
	.through = "dma_*|iommu_*|__iommu_*|arm_smmu_*|__pi_*|arch_sync*|v7_*|"
		   "swiotlb_*|intel_iommu*",
	.note_pct = DMA_MAPPING_NOTE_PCT,
	.lead_pct = DMA_MAPPING_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 88,
	.what = "maps memory for devices or cleans caches for them",
	.name = "mapping for devices (DMA)",
	.cause = "each buffer is mapped and unmapped for the device: IOMMU "
		 "invalidation in strict mode, bounce buffers, or cache maintenance "
		 "of a device that is not coherent",
	.because = "these functions run once for each mapping, sync or unmapping",
	.next = { "dmesg | grep -i -E \"iommu|smmu|swiotlb\"; cat "
		  "/sys/kernel/iommu_groups/*/type",
		  "keep buffers mapped (page_pool with DMA mapping, sync only what "
		  "was used), iommu.strict=0 or iommu=pt where the devices are "
		  "trusted" },
};

static const char *const dma_mapping_explains[] = { "hot-function", NULL };

const struct rule rule_dma_mapping = {
	.id = "dma-mapping",
	.title = "mapping memory for devices costs",
	.needs = RULE_PROFILE,
	.explains = dma_mapping_explains,
	.signature = &dma_mapping,
};
