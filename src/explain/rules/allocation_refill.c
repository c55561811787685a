/* SPDX-License-Identifier: MIT */
/*
 * An allocation that refills a cache.
 * Thresholds: from 1 % of the trace; a note at any share.
 */
#include "explain/call_signature.h"

static const struct call_signature allocation_refill = {
	.marker = "rmqueue_bulk|__rmqueue_pcplist|__mod_zone_page_state|__alloc_pages_slowpath*|"
		  "new_slab|allocate_slab|___slab_alloc|__slab_alloc*|cache_grow_begin",
	.below = "__alloc_pages*|alloc_pages*|__alloc_frozen_pages*|kmem_cache_alloc*|__kmalloc*|"
		 "kmalloc*",
	.cost = "__alloc_pages*|alloc_pages*|new_slab|allocate_slab|___slab_alloc|__slab_alloc*",
	.scope = "__alloc_pages*|alloc_pages*|kmem_cache_alloc*|__kmalloc*|kmalloc_trace*",
	.note_pct = 1,
	.lead_pct = 101,
	.sure = 85,
	.what = "an allocation had to refill a per-CPU cache",
	.name = "page and slab allocation",
	.cause = "the cache of this CPU was empty: one call in many pays for all",
	.because = "these functions are the way behind an empty cache",
	.next = "trace many calls before quoting this one; the cost is amortised",
};

const struct rule rule_allocation_refill = {
	.id = "allocation-refill",
	.title = "an allocation that refills a cache",
	.needs = RULE_CALLS,
	.call_signature = &allocation_refill,
};
