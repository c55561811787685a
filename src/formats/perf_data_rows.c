/* SPDX-License-Identifier: MIT */
#include "formats/perf_data_rows.h"

#include "base/limits.h"

void perf_rows_fini(struct perf_rows *t)
{
	if (t->slots)
		free_table(t->slots, (t->mask + 1) * sizeof(*t->slots));
	VEC_FREE(&t->weight);
	VEC_FREE(&t->count);
	memset(t, 0, sizeof(*t));
}

/* An element of its own. Past the limit of samples they are only counted. */
static void perf_rows_push(struct profile *p, uint32_t stack, uint64_t weight, uint32_t count)
{
	if (profile_add_sample(p, (stack_id){ stack }, weight) == OK)
		*VEC_PUSH(&p->samples.count) = count;
}

/* Room for the sums of node @stack. */
static void perf_rows_reach(struct perf_rows *t, uint32_t stack)
{
	size_t from = t->weight.len;
	size_t n = (size_t)stack + 1;

	if (n <= from)
		return;
	VEC_RESERVE(&t->weight, n);
	VEC_RESERVE(&t->count, n);
	memset(t->weight.data + from, 0, (n - from) * sizeof(*t->weight.data));
	memset(t->count.data + from, 0, (n - from) * sizeof(*t->count.data));
	t->weight.len = n;
	t->count.len = n;
}

void perf_rows_add(struct perf_rows *t, struct profile *p, uint32_t stack, uint32_t thread,
		   uint64_t weight, uint32_t count)
{
	if (t->merge != PERF_ROWS_STACK) {
		if (p->samples.n < LIMIT_SAMPLES)
			*VEC_PUSH(&p->samples.thread) = thread;
		perf_rows_push(p, stack, weight, count);
		return;
	}
	perf_rows_reach(t, stack);
	if (UNLIKELY(count > UINT32_MAX - t->count.data[stack])) {
		/* the column is full: an element now, and on from zero */
		perf_rows_push(p, stack, t->weight.data[stack], t->count.data[stack]);
		t->weight.data[stack] = 0;
		t->count.data[stack] = 0;
	}
	t->weight.data[stack] += weight;
	t->count.data[stack] += count;
}

/* What the slots have added up goes to where it stays. */
static void perf_rows_flush(struct perf_rows *t, struct profile *p)
{
	if (t->merge == PERF_ROWS_EACH || !t->slots)
		return;
	for (size_t i = 0; i <= t->mask; i++) {
		const struct perf_row *row = &t->slots[i];

		if (row->count)
			perf_rows_add(t, p, row->stack, row->thread, row->weight, row->count);
	}
}

static void perf_rows_grow(struct perf_rows *t, size_t n)
{
	struct perf_row *old = t->slots;
	size_t old_n = old ? t->mask + 1 : 0;

	t->slots = xcalloc_table(n * sizeof(*t->slots));
	t->mask = n - 1;
	for (size_t i = 0; i < old_n; i++) {
		if (old[i].count)
			*perf_rows_find(t, old[i].hash, old[i].check) = old[i];
	}
	if (old)
		free_table(old, old_n * sizeof(*old));
}

void perf_rows_reserve(struct perf_rows *t, struct profile *p, size_t n)
{
	while (UNLIKELY(!t->slots || (t->len + n) * 4 > (t->mask + 1) * 3)) {
		if (t->slots && t->mask + 1 >= PERF_ROWS_SLOTS_MAX) {
			perf_rows_flush(t, p);
			memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
			t->len = 0;
			return;
		}
		perf_rows_grow(t, t->slots ? (t->mask + 1) * 2 : 1024);
	}
}

/* @values by node of before to those of now. */
static void perf_rows_move(struct perf_rows *t, const uint32_t *place)
{
	size_t n = t->count.len;
	uint64_t *weight = xreallocarray(NULL, n, sizeof(*weight));
	uint32_t *count = xreallocarray(NULL, n, sizeof(*count));

	for (size_t i = 0; i < n; i++) {
		weight[place[i]] = t->weight.data[i];
		count[place[i]] = t->count.data[i];
	}
	free(t->weight.data);
	free(t->count.data);
	t->weight.data = weight;
	t->count.data = count;
}

void perf_rows_finish(struct perf_rows *t, struct profile *p)
{
	CLEANUP(freep) uint32_t *place = NULL;

	perf_rows_flush(t, p);
	if (t->slots)
		free_table(t->slots, (t->mask + 1) * sizeof(*t->slots));
	t->slots = NULL;
	t->len = 0;
	place = stacks_order(&p->stacks);
	VEC_FOREACH (stack, &p->samples.stack)
		stack->v = place ? place[stack->v] : stack->v;
	if (t->count.len) {
		perf_rows_reach(t, stacks_count(&p->stacks) - 1);
		if (place)
			perf_rows_move(t, place);
	}
	for (size_t i = 0; i < t->count.len; i++) {
		if (t->count.data[i])
			perf_rows_push(p, (uint32_t)i, t->weight.data[i], t->count.data[i]);
	}
}
