/* SPDX-License-Identifier: MIT */
/*
 * perf_data_rows.h - cache from chains to stacks, and sums of equal samples
 *
 * Most samples repeat an earlier call chain. The cache key is a 64-bit hash over the chain's
 * addresses, the state of the maps, the command and the CPU mode. A known chain costs one look-up,
 * and no frame is resolved. The probability that two of ten million chains collide is 1 in 300,000.
 *
 * Memory: 12 bytes a slot, three quarters full, at most 2^PERF_ROWS_BITS_MAX slots. A full table is
 * emptied. Chains are then resolved again, and with PERF_ROWS_THREAD get new elements; no sample is
 * lost. With PERF_ROWS_STACK, each stack takes another 16 bytes, and each stack node 4 bytes. With
 * PERF_ROWS_THREAD, each pair of chain and thread takes another 20 bytes.
 */
#ifndef FORMATS_PERF_DATA_ROWS_H
#define FORMATS_PERF_DATA_ROWS_H

#include "base/slots.h"
#include "base/status.h"
#include "base/vec.h"

struct diag;
struct profile;

#define PERF_ROWS_BITS_MAX 23u

enum perf_rows_merge {
	PERF_ROWS_EACH,   /* every sample becomes an element of the profile */
	PERF_ROWS_THREAD, /* samples of one chain and thread become one element of the profile */
	PERF_ROWS_STACK,  /* samples of one stack become one element of the profile */
};

/*
 * Flag in a stack number: the sample's innermost function had not set up its stack frame. Such
 * samples have their own sum.
 */
#define PERF_ROW_NO_FRAME (UINT32_C(1) << 31)

/*
 * The sum of equal samples: of one stack (PERF_ROWS_STACK), or of one chain and thread
 * (PERF_ROWS_THREAD).
 */
struct perf_sum {
	uint64_t weight;
	uint32_t count; /* number of samples */
	uint32_t stack; /* stack node; may contain PERF_ROW_NO_FRAME */
};

/* The weight of all samples at one instruction. */
struct perf_spot_sum {
	uint64_t weight, n;
};

struct perf_rows {
	struct profile *profile; /* profile of the event; NULL: no sample yet */
	struct diag *diag;       /* diag of the profile's capture */
	struct slots index;      /* chain's hash -> perf_rows_value() */
	enum perf_rows_merge merge;
	/*
	 * sums of equal samples; element 0 is unused, because index 0 marks a free slot; empty with
	 * PERF_ROWS_EACH
	 */
	VEC(struct perf_sum) sums;
	VEC(uint32_t) threads; /* per element of sums: its thread; only with PERF_ROWS_THREAD */
	/*
	 * per stack node: index in sums of its sum; 0: none. of[1]: sums of samples with
	 * PERF_ROW_NO_FRAME. Only with PERF_ROWS_STACK.
	 */
	VEC(uint32_t) of[2];
	/*
	 * Samples are also added up by instruction (perf_data_spots.h): a sum is then of one stack
	 * or thread, and of one instruction. Elements of a stack are merged at the end.
	 */
	bool has_spots;
	VEC(uint32_t) spots;                /* per element of sums: its spot; only with has_spots */
	struct slots by_spot;               /* stack, spot -> index in sums; instead of `of` */
	VEC(struct perf_spot_sum) at_spots; /* per spot: its samples, after perf_rows_finish() */
};

void perf_rows_fini(struct perf_rows *t);
/* Reserve slots for @n more chains. Pointers from perf_rows_find() become invalid. */
void perf_rows_make_room(struct perf_rows *t, size_t n);
static inline void perf_rows_reserve(struct perf_rows *t, size_t n)
{
	if (UNLIKELY(!slots_have_room(&t->index, n)))
		perf_rows_make_room(t, n);
}
/*
 * The slot of the chain with @hash. If the slot is free, the caller fills it with perf_rows_add().
 */
static inline struct slot *perf_rows_find(const struct perf_rows *t, uint64_t hash)
{
	return slots_find(&t->index, (uint32_t)(hash >> 32), (uint32_t)hash);
}
static inline void perf_rows_add(struct perf_rows *t, struct slot *row, uint64_t hash,
				 uint32_t value)
{
	slots_fill(&t->index, row, (struct slot){ (uint32_t)(hash >> 32), (uint32_t)hash, value });
}
/*
 * The value to store in the slot of a new chain whose stack is @stack. With PERF_ROWS_EACH it is
 * @stack, else the index in t->sums of a sum, which is made if missing. @stack may contain
 * PERF_ROW_NO_FRAME. @spot: instruction of the chain's samples, for has_spots.
 */
uint32_t perf_rows_value(struct perf_rows *t, uint32_t stack, uint32_t thread, uint32_t spot);
/* Add @n samples to the instruction @spot (perf_spot_of()); 0: unknown. */
void perf_rows_at_spot(struct perf_rows *t, uint32_t spot, uint64_t weight, uint64_t n);
/*
 * Convert the sum at index @value to an element of the profile, and set it to 0, because its count
 * is at the maximum.
 */
void perf_rows_empty(struct perf_rows *t, uint32_t value);
/* Add a sample of @weight to the sum at index @value; not with PERF_ROWS_EACH. */
static inline void perf_rows_count(struct perf_rows *t, uint32_t value, uint64_t weight)
{
	if (UNLIKELY(t->sums.data[value].count == UINT32_MAX))
		perf_rows_empty(t, value);
	t->sums.data[value].weight += weight;
	t->sums.data[value].count++;
}
/*
 * After all samples: sort the stacks with stacks_order(), and convert the sums to elements of the
 * profile's samples.
 */
void perf_rows_finish(struct perf_rows *t);

#endif
