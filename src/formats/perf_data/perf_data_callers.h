/* SPDX-License-Identifier: MIT */
/*
 * perf_data_callers.h - the nodes of callers that were met a short while ago
 *
 * A chain that was not met before mostly differs from one that was in its innermost
 * frames. Callers, from the outermost frame to each, are known by 64 bits of hash over
 * their addresses and what these mean; a table of fixed size that new ones overwrite
 * leads to their node, so that only the frames behind it are looked up.
 *
 * Memory: 16 bytes a slot, as much as a cache of the processor holds.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_CALLERS_H
#define FORMATS_PERF_DATA_CALLERS_H

#include "core/stacks.h"

#define PERF_CALLERS_BITS 15u

struct perf_callers_slot {
	uint64_t hash;
	stack_id node; /* STACK_ROOT: free */
};

struct perf_callers {
	struct perf_callers_slot slots[1u << PERF_CALLERS_BITS];
};

static inline struct perf_callers_slot *perf_callers_slot(struct perf_callers *t, uint64_t hash)
{
	return &t->slots[hash >> (64 - PERF_CALLERS_BITS)];
}

/* Their node; STACK_ROOT where they are not known. */
static inline stack_id perf_callers_find(struct perf_callers *t, uint64_t hash)
{
	const struct perf_callers_slot *slot = perf_callers_slot(t, hash);

	return slot->hash == hash ? slot->node : STACK_ROOT;
}

static inline void perf_callers_set(struct perf_callers *t, uint64_t hash, stack_id node)
{
	*perf_callers_slot(t, hash) = (struct perf_callers_slot){ hash, node };
}

#endif
