/* SPDX-License-Identifier: MIT */
/*
 * perf_data_rows.h - the stack of each chain, and samples that agree added up
 *
 * Most samples repeat a chain seen before. A chain is known by 96 bits of hash
 * over its addresses, the state of the maps that they are resolved with, the
 * command and the mode: a known one costs one look-up and no frame is resolved.
 * Two chains taken for one need 2^48 chains.
 *
 * Memory: 32 bytes a chain at three quarters full, at most PERF_ROWS_SLOTS_MAX
 * slots; past that the table begins anew, which costs time and loses nothing.
 * Added up by stack: 12 bytes a node of the stacks beside that.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_ROWS_H
#define FORMATS_PERF_DATA_ROWS_H

#include "core/profile.h"

#define PERF_ROWS_SLOTS_MAX (UINT32_C(1) << 23)

enum perf_rows_merge {
	PERF_ROWS_EACH,   /* every sample is an element of its own */
	PERF_ROWS_THREAD, /* samples of one stack and thread are one element */
	PERF_ROWS_STACK,  /* samples of one stack are */
};

struct perf_row {
	uint64_t hash;
	uint64_t weight;
	uint32_t check; /* more of the hash */
	uint32_t count; /* 0: a free slot */
	uint32_t stack;
	uint32_t thread; /* with PERF_ROWS_THREAD */
};

struct perf_rows {
	struct perf_row *slots;
	size_t mask;
	size_t len;
	enum perf_rows_merge merge;
	VEC(uint64_t) weight; /* by node, with PERF_ROWS_STACK */
	VEC(uint32_t) count;
};

void perf_rows_fini(struct perf_rows *t);
/* Make room for @n more; what perf_rows_find() returned before is void. */
void perf_rows_reserve(struct perf_rows *t, struct profile *p, size_t n);
/* The row of a chain, or the free slot where it belongs: fill it, then add to len. */
static inline struct perf_row *perf_rows_find(struct perf_rows *t, uint64_t hash, uint32_t check)
{
	for (size_t at = (size_t)hash & t->mask;; at = (at + 1) & t->mask) {
		struct perf_row *row = &t->slots[at];

		if (row->count == 0 || (row->hash == hash && row->check == check))
			return row;
	}
}
static inline void perf_rows_prefetch(const struct perf_rows *t, uint64_t hash)
{
	__builtin_prefetch(&t->slots[(size_t)hash & t->mask]);
}
/* Add @count samples of @weight in all, of no row. */
void perf_rows_add(struct perf_rows *t, struct profile *p, uint32_t stack, uint32_t thread,
		   uint64_t weight, uint32_t count);
/*
 * Everything was read: stacks are put in order (stacks_order()), and samples that
 * were added up become elements of @p.
 */
void perf_rows_finish(struct perf_rows *t, struct profile *p);

#endif
