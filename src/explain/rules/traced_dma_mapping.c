/* SPDX-License-Identifier: MIT */
/*
 * Mapping memory for devices in a function graph: page tables of an IOMMU, its flushes,
 * bounce buffers.
 * Thresholds: 10 % of the trace for a note, 30 % for a warning. A driver that recycles
 * mapped buffers spends 1 to 5 % here.
 */
#include "explain/call_signature.h"

static const struct call_signature traced_dma_mapping = {
	.marker = "dma_map_*|dma_unmap_*|dma_direct_map_*|dma_direct_unmap_*|iommu_map*|"
		  "__iommu_map*|iommu_unmap*|__iommu_unmap*|iommu_dma_*|"
		  "intel_iommu_*map*|intel_map_*|intel_unmap*|__domain_mapping|"
		  "domain_mapping|amd_iommu_*map*|arm_smmu_*map*|arm_smmu_*tlb*|"
		  "arm_smmu_cmdq_*|arm_lpae_*map*|iommu_flush_*|qi_submit_sync|"
		  "qi_flush_*|iommu_iotlb_sync*|alloc_iova*|free_iova*|swiotlb_*|"
		  "dma_sync_*|intel_iommu_iotlb_*",
	.scope = "dma_*|iommu_*|*_xmit|*_xmit_frame*|ib_*|nvme_*|*_queue_rq|"
		 "scsi_queue_rq|ndo_*",
	.note_pct = 10,
	.lead_pct = 30,
	.usual_ns = 5000,
	.sure = 85,
	.what = "memory is mapped for a device here",
	.name = "mapping for devices",
	.cause = "an IOMMU whose page tables are changed and flushed for each buffer or "
		 "each piece of it, bounce buffers, or caches that are cleaned for a "
		 "device that does not snoop",
	.because = "these functions only map, unmap and flush for devices",
	.next = "see iommu= in /proc/cmdline and /sys/kernel/iommu_groups/*/type: "
		"strict or lazy; map once and recycle, map and flush a whole list in "
		"one call",
};

const struct rule rule_traced_dma_mapping = {
	.id = "traced-dma-mapping",
	.title = "mapping memory for devices in a function graph",
	.needs = RULE_CALLS,
	.call_signature = &traced_dma_mapping,
};
