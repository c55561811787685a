/* SPDX-License-Identifier: MIT */
#include "formats/perf_data_rows.h"

#include "base/limits.h"

void perf_rows_fini(struct perf_rows *t)
{
	slots_fini(&t->index);
	VEC_FREE(&t->sums);
	VEC_FREE(&t->keys);
	memset(t, 0, sizeof(*t));
}

/* What was added up as @value is an element. Past the limit of samples they are only counted. */
static void perf_rows_push(const struct perf_rows *t, uint32_t value)
{
	struct profile *p = t->profile;
	uint32_t stack = t->merge == PERF_ROWS_STACK ? value : t->keys.data[value].stack;

	if (profile_add_sample(p, (stack_id){ stack }, t->sums.data[value].weight) < 0)
		return;
	*VEC_PUSH(&p->samples.count) = t->sums.data[value].count;
	if (t->merge == PERF_ROWS_THREAD)
		*VEC_PUSH(&p->samples.thread) = t->keys.data[value].thread;
}

/* Room for the sums of @value. */
static void perf_rows_reach(struct perf_rows *t, uint32_t value)
{
	size_t from = t->sums.len;
	size_t n = (size_t)value + 1;

	if (n <= from)
		return;
	VEC_RESERVE(&t->sums, n);
	memset(t->sums.data + from, 0, (n - from) * sizeof(*t->sums.data));
	t->sums.len = n;
}

uint32_t perf_rows_value(struct perf_rows *t, uint32_t stack, uint32_t thread)
{
	if (t->merge != PERF_ROWS_THREAD)
		return stack;
	if (t->keys.len == 0)
		*VEC_PUSH(&t->keys) = (struct perf_row_key){ 0, 0 }; /* 0 is a free slot */
	*VEC_PUSH(&t->keys) = (struct perf_row_key){ stack, thread };
	return (uint32_t)t->keys.len - 1;
}

void perf_rows_count_slowly(struct perf_rows *t, uint32_t value)
{
	perf_rows_reach(t, value);
	if (t->sums.data[value].count < UINT32_MAX)
		return;
	/* the column is full: an element now, and on from zero */
	perf_rows_push(t, value);
	t->sums.data[value].weight = 0;
	t->sums.data[value].count = 0;
}

void perf_rows_make_room(struct perf_rows *t, size_t n)
{
	if (t->index.data && t->index.bits >= PERF_ROWS_BITS_MAX)
		slots_clear(&t->index);
	else
		slots_make_room(&t->index, n);
}

/* @values by node of before to those of now. */
static void perf_rows_move(struct perf_rows *t, const uint32_t *place)
{
	size_t n = t->sums.len;
	struct perf_sum *sums = xreallocarray(NULL, n, sizeof(*sums));

	for (size_t i = 0; i < n; i++)
		sums[place[i]] = t->sums.data[i];
	free(t->sums.data);
	t->sums.data = sums;
}

void perf_rows_finish(struct perf_rows *t)
{
	struct profile *p = t->profile;
	CLEANUP(freep) uint32_t *place = NULL;

	slots_fini(&t->index);
	place = stacks_order(&p->stacks);
	VEC_FOREACH (stack, &p->samples.stack)
		stack->v = place ? place[stack->v] : stack->v;
	VEC_FOREACH (key, &t->keys)
		key->stack = place ? place[key->stack] : key->stack;
	if (t->sums.len && t->merge == PERF_ROWS_STACK) {
		perf_rows_reach(t, stacks_count(&p->stacks) - 1);
		if (place)
			perf_rows_move(t, place);
	}
	for (size_t i = 0; i < t->sums.len; i++) {
		if (t->sums.data[i].count)
			perf_rows_push(t, (uint32_t)i);
	}
}
