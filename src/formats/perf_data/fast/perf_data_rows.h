/* SPDX-License-Identifier: MIT */
/*
 * perf_data_rows.h - cache from call chains to stacks, and sums of equal samples
 *
 * Most samples repeat an earlier call chain. The cache key is a 64-bit hash over the chain's
 * addresses, the state of the maps, the command and the CPU mode. A known chain costs one look-up,
 * and no frame is resolved. The probability that two of ten million chains collide is 1 in 300,000.
 *
 * Memory: 12 bytes per slot. At most three quarters of the slots are used, and there are at most
 * 2^PERF_ROWS_BITS_MAX slots. When the table is full, all its slots are emptied, and later samples
 * fill them again. No sample is lost, because the sums stay. With PERF_ROWS_THREAD, a chain that
 * occurs again then gets another sum. With PERF_ROWS_STACK, each stack takes another 16 bytes, and
 * each stack node 4 bytes. With PERF_ROWS_THREAD, each pair of chain and thread takes another 20
 * bytes.
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
	PERF_ROWS_EACH, /* every sample becomes an element of the profile */
	/* samples with the same chain and thread become one element of the profile */
	PERF_ROWS_THREAD,
	PERF_ROWS_STACK, /* samples with the same stack become one element of the profile */
};

/*
 * Flag in a stack number: the innermost function had not set up its stack frame at the sample.
 * Samples with this flag are added up separately.
 */
#define PERF_ROW_NO_FRAME (UINT32_C(1) << 31)

/*
 * The sum of equal samples. Samples are equal if they have the same stack (PERF_ROWS_STACK), or the
 * same chain and thread (PERF_ROWS_THREAD).
 */
struct perf_sum {
	uint64_t weight;
	uint32_t count; /* number of samples */
	uint32_t stack; /* number of the stack's node; may have the flag PERF_ROW_NO_FRAME */
};

/* Sum of all samples at one instruction: their weight and their number. */
struct perf_spot_sum {
	uint64_t weight, n;
};

struct perf_rows {
	struct profile *profile; /* profile of the event; NULL: no sample yet */
	struct diag *diag;       /* diagnostics of the profile's capture */
	/* hash of a chain -> value that perf_rows_value() returned for the chain */
	struct slots index;
	enum perf_rows_merge merge;
	/*
	 * sums of equal samples; empty with PERF_ROWS_EACH. Element 0 is unused, because index 0
	 * means "no sum"
	 */
	VEC(struct perf_sum) sums;
	/* thread of the samples in each element of `sums`; only with PERF_ROWS_THREAD */
	VEC(uint32_t) threads;
	/*
	 * for each stack node, the index in `sums` of the sum of its samples: of[0] for samples
	 * without PERF_ROW_NO_FRAME, of[1] for samples with this flag. 0: no sum. Only with
	 * PERF_ROWS_STACK.
	 */
	VEC(uint32_t) of[2];
	/*
	 * Samples are also added up by their instruction (perf_data_spots.h). Then a sum has only
	 * samples of one stack and one instruction. At the end, the sums of a stack are merged.
	 */
	bool has_spots;
	/*
	 * spot (number of the instruction) of the samples in each element of `sums`; only with
	 * has_spots
	 */
	VEC(uint32_t) spots;
	/* stack and spot -> index in `sums`; with has_spots, used instead of `of` */
	struct slots by_spot;
	/* for each spot, the sum of its samples; complete after perf_rows_finish() */
	VEC(struct perf_spot_sum) at_spots;
};

void perf_rows_fini(struct perf_rows *t);
/* Reserve slots for @n more chains. Invalidates pointers from perf_rows_find(). */
void perf_rows_make_room(struct perf_rows *t, size_t n);
static inline void perf_rows_reserve(struct perf_rows *t, size_t n)
{
	if (UNLIKELY(!slots_have_room(&t->index, n)))
		perf_rows_make_room(t, n);
}
/*
 * The slot of the chain with @hash. If the slot is free, the caller must fill it with
 * perf_rows_add().
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
 * The value to store in the slot of a new chain. With PERF_ROWS_EACH, it is @stack. Otherwise it is
 * the index in t->sums of the sum for the chain's samples; if there is no such sum, one is made.
 * @stack: number of the chain's stack node, possibly with PERF_ROW_NO_FRAME. @spot: number of the
 * instruction, if has_spots.
 */
uint32_t perf_rows_value(struct perf_rows *t, uint32_t stack, uint32_t thread, uint32_t spot);
/*
 * Add @n samples with the total @weight to the instruction @spot (a result of perf_spot_of()). If
 * @spot is 0, the instruction is unknown and nothing is added.
 */
void perf_rows_at_spot(struct perf_rows *t, uint32_t spot, uint64_t weight, uint64_t n);
/*
 * Append the sum at index @value to the profile's samples, and reset the sum to 0. Called when the
 * number of its samples reaches the maximum.
 */
void perf_rows_empty(struct perf_rows *t, uint32_t value);
/* Add one sample of @weight to the sum at index @value in t->sums. Not for PERF_ROWS_EACH. */
static inline void perf_rows_count(struct perf_rows *t, uint32_t value, uint64_t weight)
{
	if (UNLIKELY(t->sums.data[value].count == UINT32_MAX))
		perf_rows_empty(t, value);
	t->sums.data[value].weight += weight;
	t->sums.data[value].count++;
}
/*
 * Finish after all samples: sort the stacks with stacks_order(), and append the sums to the
 * profile's samples.
 */
void perf_rows_finish(struct perf_rows *t);

#endif
