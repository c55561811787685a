/* SPDX-License-Identifier: MIT */
/*
 * perf_data_rows.h - the stack of each chain, and samples that agree added up
 *
 * Most samples repeat a chain seen before. A chain is known by 64 bits of hash
 * over its addresses, the state of the maps that they are resolved with, the
 * command and the mode: a known one costs one look-up and no frame is resolved.
 * That two of ten million chains are taken for one has a chance of 1 in 300,000.
 *
 * Memory: 12 bytes a slot, three quarters full, at most 2^PERF_ROWS_BITS_MAX
 * slots; past that the table begins anew, which costs time and loses nothing.
 * Beside that 16 bytes a stack and 4 a node of the stacks, or 20 a chain and thread.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_ROWS_H
#define FORMATS_PERF_DATA_ROWS_H

#include "core/profile.h"

#define PERF_ROWS_BITS_MAX 23u

enum perf_rows_merge {
	PERF_ROWS_EACH,   /* every sample is an element of its own */
	PERF_ROWS_THREAD, /* samples of one stack and thread are one element */
	PERF_ROWS_STACK,  /* samples of one stack are */
};

#define PERF_ROW_PENDING UINT32_MAX /* the chain's frames are being looked up */
/* Beside the number of a stack: samples.no_frame of its samples. Sums are apart by it. */
#define PERF_ROW_NO_FRAME (UINT32_C(1) << 31)

struct perf_sum {
	uint64_t weight;
	uint32_t count;
	uint32_t stack;
};

struct perf_rows {
	struct profile *profile; /* of the event; NULL: no sample yet */
	struct diag *diag;       /* of its capture */
	struct slots index; /* of chains: both halves of the hash -> what their samples add to */
	enum perf_rows_merge merge;
	VEC(struct perf_sum) sums; /* from 1 on, 0 being a free slot; not with PERF_ROWS_EACH */
	VEC(uint32_t) threads;     /* of sums, with PERF_ROWS_THREAD */
	VEC(uint32_t) of[2];       /* with PERF_ROWS_STACK, by node: its sum; 0: none */
};

void perf_rows_fini(struct perf_rows *t);
/* Make room for @n more; what perf_rows_find() returned before is void. */
void perf_rows_make_room(struct perf_rows *t, size_t n);
static inline void perf_rows_reserve(struct perf_rows *t, size_t n)
{
	if (UNLIKELY(!slots_have_room(&t->index, n)))
		perf_rows_make_room(t, n);
}
/* Where the row of a chain is looked for, and fetch that. */
static inline size_t perf_rows_home(const struct perf_rows *t, uint64_t hash)
{
	size_t home = slots_home(&t->index, (uint32_t)(hash >> 32), (uint32_t)hash);

	__builtin_prefetch(&t->index.data[home]);
	return home;
}
/* The row of a chain, or the free slot where it belongs: fill it with perf_rows_add(). */
static inline struct slot *perf_rows_find(const struct perf_rows *t, size_t home, uint64_t hash)
{
	return slots_find_from(&t->index, home, (uint32_t)(hash >> 32), (uint32_t)hash);
}
static inline void perf_rows_add(struct perf_rows *t, struct slot *row, uint64_t hash,
				 uint32_t value)
{
	slots_fill(&t->index, row, (struct slot){ (uint32_t)(hash >> 32), (uint32_t)hash, value });
}
/* Fetch the sums of a row that is known. */
static inline void perf_rows_prefetch_sums(const struct perf_rows *t, uint32_t value)
{
	if (value < t->sums.len) /* that of a chain whose frames are looked up is not there yet */
		__builtin_prefetch(&t->sums.data[value], 1);
}
/* What samples of a chain are added to. @stack may have PERF_ROW_NO_FRAME. */
uint32_t perf_rows_value(struct perf_rows *t, uint32_t stack, uint32_t thread);
/* The count is full: it becomes an element now, and goes on from zero. */
void perf_rows_empty(struct perf_rows *t, uint32_t value);
/* A sample more; not with PERF_ROWS_EACH. */
static inline void perf_rows_count(struct perf_rows *t, uint32_t value, uint64_t weight)
{
	if (UNLIKELY(t->sums.data[value].count == UINT32_MAX))
		perf_rows_empty(t, value);
	t->sums.data[value].weight += weight;
	t->sums.data[value].count++;
}
/*
 * Everything was read: stacks are put in order (stacks_order()), and samples that
 * were added up become elements of the profile.
 */
void perf_rows_finish(struct perf_rows *t);

#endif
