/* SPDX-License-Identifier: MIT */
#include "formats/perf_data/fast/perf_data_queue.h"

void perf_queue_fini(struct perf_queue *q)
{
	VEC_FREE(&q->items);
	VEC_FREE(&q->runs);
	VEC_FREE(&q->heap);
	VEC_FREE(&q->order);
}

void perf_queue_turn(struct perf_queue *q)
{
	uint32_t at = (uint32_t)q->items.len;

	if (q->runs.len)
		q->runs.data[q->runs.len - 1].end = at;
	*VEC_PUSH(&q->runs) = (struct perf_queue_run){ .at = at };
}

static bool perf_queue_is_before(const struct perf_queue_run *a, const struct perf_queue_run *b)
{
	return a->time < b->time || (a->time == b->time && a->at < b->at);
}

/*
 * Restore the order of q->heap after the time of the run at index @i has grown: move this run down.
 * A run is a sequence of items with ascending times.
 */
static void perf_queue_sift(struct perf_queue *q, size_t i)
{
	struct perf_queue_run *heap = q->heap.data;
	struct perf_queue_run run = heap[i];
	size_t n = q->heap.len;

	for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && perf_queue_is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!perf_queue_is_before(&heap[child], &run))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = run;
}

/*
 * Index in q->items of the first item of @run that is later than @upto; run->end: no such item. The
 * times in a run ascend.
 */
static uint32_t perf_queue_left(const struct perf_queue *q, const struct perf_queue_run *run,
				uint64_t upto)
{
	uint32_t low = run->at;
	uint32_t high = run->end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (q->items.data[mid].time <= upto)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Fill q->heap with all runs (sequences of items with ascending times). Of each run, only the items
 * up to the time @upto are entered.
 */
static void perf_queue_gather(struct perf_queue *q, uint64_t upto)
{
	q->heap.len = 0;
	VEC_FOREACH (run, &q->runs) {
		uint32_t end = perf_queue_left(q, run, upto);

		if (run->at < end)
			*VEC_PUSH(&q->heap) = (struct perf_queue_run){
				.at = run->at, .end = end, .time = q->items.data[run->at].time
			};
	}
	for (size_t i = q->heap.len / 2; i-- > 0;)
		perf_queue_sift(q, i);
}

/*
 * Append items of @run to q->order until the first item of another run is earlier. @run: the first
 * element of the heap, which has the earliest item of all runs.
 */
static void perf_queue_merge_first(struct perf_queue *q, struct perf_queue_run *run)
{
	const struct perf_queued *items = q->items.data;
	const struct perf_queue_run *next = &q->heap.data[1];

	if (q->heap.len > 2 && perf_queue_is_before(next + 1, next))
		next++;
	do {
		q->order.data[q->order.len++] = run->at++;
		run->time = run->at < run->end ? items[run->at].time : UINT64_MAX;
	} while (run->at < run->end && perf_queue_is_before(run, next));
}

/* Merge the items up to the time @upto from all runs into q->order, sorted by time. */
static void perf_queue_merge(struct perf_queue *q, uint64_t upto)
{
	struct perf_queue_run *heap;

	q->order.len = 0;
	q->taken = upto;
	if (q->items.len == 0)
		return;
	q->runs.data[q->runs.len - 1].end = (uint32_t)q->items.len;
	VEC_RESERVE(&q->order, q->items.len);
	perf_queue_gather(q, upto);
	heap = q->heap.data;
	while (q->heap.len > 1) {
		perf_queue_merge_first(q, &heap[0]);
		if (heap[0].at == heap[0].end)
			heap[0] = heap[--q->heap.len];
		perf_queue_sift(q, 0);
	}
	while (q->heap.len && heap[0].at < heap[0].end)
		q->order.data[q->order.len++] = heap[0].at++;
}

void perf_queue_round(struct perf_queue *q, bool everything)
{
	perf_queue_merge(q, everything ? UINT64_MAX : q->complete);
	q->complete = q->latest;
}

void perf_queue_force(struct perf_queue *q, size_t n)
{
	perf_queue_merge(q, UINT64_MAX);
	if (n && n <= q->order.len)
		perf_queue_merge(q, q->items.data[q->order.data[n - 1]].time);
}

void perf_queue_drop(struct perf_queue *q)
{
	size_t n_runs = 0;
	uint32_t n = 0;

	VEC_FOREACH (run, &q->runs) {
		uint32_t from = perf_queue_left(q, run, q->taken);
		uint32_t left = run->end - from;

		if (left == 0)
			continue;
		memmove(&q->items.data[n], &q->items.data[from], left * sizeof(*q->items.data));
		q->runs.data[n_runs++] = (struct perf_queue_run){ .at = n, .end = n + left };
		n += left;
	}
	q->items.len = n;
	q->runs.len = n_runs;
	q->order.len = 0;
}
