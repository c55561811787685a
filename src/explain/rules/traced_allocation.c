/* SPDX-License-Identifier: MIT */
/*
 * Allocating memory in a function graph.
 * Thresholds: three allocations a topmost call that makes them, 25 % of the time of such
 * calls for a note, 50 % for a warning. Sending a packet or opening a file makes one or
 * two, and spends 5 to 20 % here. Of a trace of allocators alone nothing is said.
 */
#include "explain/call_signature.h"

static const struct call_signature traced_allocation = {
	.marker = "__alloc_pages*|alloc_pages*|__get_free_page*|get_zeroed_page*|"
		  "get_page_from_freelist|__rmqueue*|rmqueue*|kmem_cache_alloc*|"
		  "kmem_cache_zalloc*|__kmalloc*|kmalloc*|kzalloc*|kvmalloc*|__vmalloc*|"
		  "vmalloc*|vzalloc*|pcpu_alloc*|__alloc_percpu*|__alloc_skb|"
		  "__napi_alloc_*|__netdev_alloc_*|page_pool_alloc*|__page_pool_alloc*|"
		  "mempool_alloc*|*_alloc_arg|*_alloc_args|*_alloc_pages|*_alloc_page|"
		  "*_alloc_buf*|*_alloc_bufs|*_alloc_request|folio_alloc*|"
		  "vma_alloc_folio*|__folio_alloc*",
	.scope = "do_syscall_64|*sys_*|vfs_*|__dev_queue_xmit|dev_queue_xmit|"
		 "handle_mm_fault|svc_*",
	.needs_caller = true,
	.min_per_root = 3,
	.note_pct = 25,
	.lead_pct = 50,
	.usual_ns = 5000,
	.sure = 74,
	.what = "memory is allocated here",
	.name = "allocating",
	.cause = "page after page or object after object is allocated, where perhaps one call "
		 "could allocate all, or memory that was freed could be used again",
	.because = "these functions only allocate; whether fewer calls would do the trace does "
		   "not show",
	.next = "allocate in bulk (alloc_pages_bulk, kmem_cache_alloc_bulk, "
		"page_pool), keep and use again what is freed at once; see "
		"allocation-refill for the part that is rare",
};

const struct rule rule_traced_allocation = {
	.id = "traced-allocation",
	.title = "allocating memory in a function graph",
	.needs = RULE_CALLS,
	.call_signature = &traced_allocation,
};
