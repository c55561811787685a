/* SPDX-License-Identifier: MIT */
/*
 * The kernel allocates and frees for each operation: each packet or request takes new
 * memory and gives it back, instead of using it again.
 *
 * Thresholds, of the time that is not idle: Networking and storage paths in good health
 * spend 4 to 7 % here.
 */
#include "explain/signature.h"

#define KERNEL_ALLOCATION_NOTE_PCT 8.0
#define KERNEL_ALLOCATION_LEAD_PCT 20.0

static const struct signature kernel_allocation = {
	.functions = "__kmalloc*|kmalloc*|kfree|kmem_cache_alloc*|kmem_cache_free*|"
		     "__slab_alloc*|___slab_alloc|__slab_free|slab_alloc*|"
		     "get_page_from_freelist|rmqueue*|__rmqueue*|__alloc_pages*|"
		     "alloc_pages*|free_unref_page*|__free_pages*|free_pcppages_bulk|"
		     "__free_one_page|free_one_page|page_pool_*|__page_pool_*|"
		     "page_frag_*|__build_skb*|build_skb*|__alloc_skb|kmalloc_reserve|"
		     "skb_free_head|kfree_skbmem|__napi_alloc_skb*|__netdev_alloc_skb*|"
		     "new_slab|allocate_slab|discard_slab|deactivate_slab|"
		     "get_partial_node*|free_hot_cold_page*|__put_page|"
		     "__put_single_page|put_compound_page|prep_new_page|pcpu_alloc*|"
		     "free_percpu|__free_slab|skb_release_data|*_rx_refill|"
		     "__alloc_frozen_pages*|free_frozen_page*",
	.through = "__kmalloc*|kmalloc*|kfree|kmem_cache_*|slab_*|__slab*|___slab*|"
		   "__alloc_pages*|alloc_pages*|get_page_from_freelist|free_unref*|"
		   "__free_*|page_pool_*|__page_pool_*|page_frag_*|__build_skb*|"
		   "__alloc_skb|skb_free_head|kfree_skb*",
	.note_pct = KERNEL_ALLOCATION_NOTE_PCT,
	.lead_pct = KERNEL_ALLOCATION_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 76,
	.what = "allocates and frees kernel memory",
	.name = "the allocators of the kernel",
	.cause = "memory is taken and given back often: for each packet or request instead of "
		 "using it again, or for pages of files",
	.because = "these functions hand out and take back memory; none of them is "
		   "the work asked for",
	.next = { "perf record -a -g: who allocates; perf kmem record sleep 5; perf "
		  "kmem stat --caller",
		  "recycle (page_pool, a cache of the object), allocate in bulk, "
		  "embed the small object in its user" },
};

const struct rule rule_kernel_allocation = {
	.id = "kernel-allocation",
	.title = "the kernel allocates and frees for each operation",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &kernel_allocation,
};
