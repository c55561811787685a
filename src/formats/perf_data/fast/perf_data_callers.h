/* SPDX-License-Identifier: MIT */
/*
 * perf_data_callers.h - cache of the stack nodes of recent call chains
 *
 * A new chain usually differs from a recent chain only in its innermost frames. Its outer frames,
 * the callers, are the same. The table maps each such sequence of callers to its stack node. So
 * only the remaining, inner frames must be resolved.
 *
 * The key is a 64-bit hash over the event, the thread's maps and command, and the addresses of the
 * callers, outermost first. The table has a fixed size, so a new entry overwrites the old entry in
 * its slot. 15 bits of the hash select the slot, and a look-up compares the other 49 bits. In 300
 * million look-ups (ten million new chains of 30 frames), the probability of a wrong node is 1 in
 * 1.8 million.
 *
 * Without the cache, reading takes more CPU time: 1.3 to 1.5 times for recordings with many
 * different deep chains, and 1.0 to 1.2 times for others. Memory: 16 bytes per slot; the table fits
 * into a CPU cache.
 */
#ifndef FORMATS_PERF_DATA_CALLERS_H
#define FORMATS_PERF_DATA_CALLERS_H

#include "core/ids.h"

#define PERF_CALLERS_BITS 15u

struct perf_callers_slot {
	uint64_t hash;
	stack_id node; /* STACK_ROOT: the slot is free */
};

struct perf_callers {
	struct perf_callers_slot slots[1u << PERF_CALLERS_BITS];
};

static inline struct perf_callers_slot *perf_callers_slot(struct perf_callers *t, uint64_t hash)
{
	return &t->slots[hash >> (64 - PERF_CALLERS_BITS)];
}

/*
 * Stack node for the sequence of callers with @hash; STACK_ROOT: the sequence is not in the cache.
 */
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
