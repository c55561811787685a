/* SPDX-License-Identifier: MIT */
#include "formats/perf_data/fast/perf_data_rows.h"

#include "base/alloc.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"

void perf_rows_fini(struct perf_rows *t)
{
	slots_fini(&t->index);
	VEC_FREE(&t->sums);
	VEC_FREE(&t->threads);
	VEC_FREE(&t->of[0]);
	VEC_FREE(&t->of[1]);
	VEC_FREE(&t->spots);
	VEC_FREE(&t->at_spots);
	slots_fini(&t->by_spot);
	memset(t, 0, sizeof(*t));
}

/*
 * Append one element to the profile's samples: the sum of equal samples at index @value in t->sums.
 * If the profile already has LIMIT_SAMPLES elements, the sum is dropped. The totals n_samples and
 * event_count of the profile include these samples nevertheless.
 */
static void perf_rows_push(const struct perf_rows *t, uint32_t value)
{
	const struct perf_sum *sum = &t->sums.data[value];
	struct profile *p = t->profile;

	if (sum->count == 0 ||
	    profile_add_sample(p, (stack_id){ sum->stack & ~PERF_ROW_NO_FRAME }, sum->weight) < 0)
		return;
	profile_set_no_frame(p, sum->stack & PERF_ROW_NO_FRAME);
	*VEC_PUSH(&p->samples.count) = sum->count;
	if (t->merge == PERF_ROWS_THREAD)
		*VEC_PUSH(&p->samples.thread) = t->threads.data[value];
}

/*
 * Pointer to the entry of @stack in t->of. The entry is the index in t->sums of the stack's sum, or
 * 0 if the stack has no sum yet.
 */
static uint32_t *perf_rows_of(struct perf_rows *t, uint32_t stack)
{
	typeof(t->of[0]) *of = &t->of[stack >> 31];
	size_t from = of->len;
	size_t n = (size_t)(stack & ~PERF_ROW_NO_FRAME) + 1;

	if (n > from) {
		VEC_RESERVE(of, n);
		memset(of->data + from, 0, (n - from) * sizeof(*of->data));
		of->len = n;
	}
	return &of->data[n - 1];
}

void perf_rows_at_spot(struct perf_rows *t, uint32_t spot, uint64_t weight, uint64_t n)
{
	size_t from = t->at_spots.len;

	if (spot == 0)
		return;
	if (spot >= from) {
		VEC_RESERVE(&t->at_spots, spot + 1);
		memset(t->at_spots.data + from, 0, (spot + 1 - from) * sizeof(*t->at_spots.data));
		t->at_spots.len = spot + 1;
	}
	t->at_spots.data[spot].weight += weight;
	t->at_spots.data[spot].n += n;
}

/* Index in t->sums of the sum for @stack at the instruction @spot; 0: there is no such sum yet. */
static uint32_t perf_rows_known(struct perf_rows *t, uint32_t stack, uint32_t spot)
{
	if (t->merge != PERF_ROWS_STACK)
		return 0;
	if (!t->has_spots)
		return *perf_rows_of(t, stack);
	slots_reserve(&t->by_spot, 1);
	return slots_find(&t->by_spot, stack, spot)->value;
}

uint32_t perf_rows_value(struct perf_rows *t, uint32_t stack, uint32_t thread, uint32_t spot)
{
	uint32_t value;

	if (t->merge == PERF_ROWS_EACH)
		return stack;
	value = perf_rows_known(t, stack, spot);
	if (value)
		return value;
	if (t->sums.len == 0) {
		*VEC_PUSH(&t->sums) = (struct perf_sum){ 0, 0, 0 };
		*VEC_PUSH(&t->threads) = 0;
		*VEC_PUSH(&t->spots) = 0;
	}
	value = (uint32_t)t->sums.len;
	*VEC_PUSH(&t->sums) = (struct perf_sum){ 0, 0, stack };
	if (t->has_spots)
		*VEC_PUSH(&t->spots) = spot;
	if (t->merge == PERF_ROWS_THREAD)
		*VEC_PUSH(&t->threads) = thread;
	else if (t->has_spots)
		slots_fill(&t->by_spot, slots_find(&t->by_spot, stack, spot),
			   (struct slot){ stack, spot, value });
	else
		*perf_rows_of(t, stack) = value;
	return value;
}

void perf_rows_empty(struct perf_rows *t, uint32_t value)
{
	struct perf_sum *sum = &t->sums.data[value];

	perf_rows_push(t, value);
	if (t->has_spots)
		perf_rows_at_spot(t, t->spots.data[value], sum->weight, sum->count);
	sum->weight = 0;
	sum->count = 0;
}

void perf_rows_make_room(struct perf_rows *t, size_t n)
{
	if (t->index.data && t->index.bits >= PERF_ROWS_BITS_MAX)
		slots_clear(&t->index);
	else
		slots_make_room(&t->index, n);
}

/*
 * Add the sum at index @from to the sum at index @to in t->sums. Both sums have the same stack, but
 * different instructions.
 */
static void perf_rows_merge(const struct perf_rows *t, uint32_t to, uint32_t from)
{
	struct perf_sum *a = &t->sums.data[to];
	const struct perf_sum *b = &t->sums.data[from];

	if (b->count > UINT32_MAX - a->count) {
		perf_rows_push(t, from);
		return;
	}
	a->weight += b->weight;
	a->count += b->count;
}

/* Convert the sums of equal samples to elements of the profile, ordered by stack node. */
static void perf_rows_push_in_order(struct perf_rows *t)
{
	uint32_t n = stacks_count(&t->profile->stacks);
	/*
	 * for each stack node, the indices in t->sums of its two sums: at[node][0] for samples
	 * without the flag PERF_ROW_NO_FRAME, at[node][1] for samples with it. 0: no sum
	 */
	uint32_t(*at)[2] = xcalloc(n, sizeof(*at));

	VEC_FREE(&t->of[0]);
	VEC_FREE(&t->of[1]);
	for (uint32_t i = 1; i < t->sums.len; i++) {
		uint32_t stack = t->sums.data[i].stack;
		uint32_t *first = &at[stack & ~PERF_ROW_NO_FRAME][stack >> 31];

		if (*first)
			perf_rows_merge(t, *first, i);
		else
			*first = i;
	}
	for (uint32_t node = 0; node < n; node++) {
		for (size_t k = 0; k < ARRAY_LEN(*at); k++) {
			if (at[node][k])
				perf_rows_push(t, at[node][k]);
		}
	}
	free(at);
}

void perf_rows_finish(struct perf_rows *t)
{
	struct profile *p = t->profile;
	CLEANUP(freep) uint32_t *place = NULL;

	slots_fini(&t->index);
	slots_fini(&t->by_spot);
	for (uint32_t i = 1; i < t->sums.len && t->has_spots; i++)
		perf_rows_at_spot(t, t->spots.data[i], t->sums.data[i].weight,
				  t->sums.data[i].count);
	place = stacks_order(&p->stacks);
	VEC_FOREACH (stack, &p->samples.stack)
		stack->v = place ? place[stack->v] : stack->v;
	VEC_FOREACH (sum, &t->sums)
		sum->stack = place ? place[sum->stack & ~PERF_ROW_NO_FRAME] |
					     (sum->stack & PERF_ROW_NO_FRAME)
				   : sum->stack;
	if (t->merge == PERF_ROWS_STACK)
		perf_rows_push_in_order(t);
	for (uint32_t i = 1; i < t->sums.len && t->merge == PERF_ROWS_THREAD; i++)
		perf_rows_push(t, i);
}
