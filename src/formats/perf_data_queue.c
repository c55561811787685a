/* SPDX-License-Identifier: MIT */
#include "formats/perf_data_queue.h"

void perf_queue_fini(struct perf_queue *q)
{
	VEC_FREE(&q->items);
	VEC_FREE(&q->scratch);
}

void perf_queue_add(struct perf_queue *q, uint64_t time, const uint8_t *record, uint32_t chunk)
{
	*VEC_PUSH(&q->items) = (struct perf_queued){ time, record, chunk };
	if (time > q->latest)
		q->latest = time;
}

/* End of the ascending run that starts at @from. */
static size_t perf_queue_run(const struct perf_queued *items, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && items[i - 1].time <= items[i].time)
		i++;
	return i;
}

static void perf_queue_merge(struct perf_queued *to, const struct perf_queued *from, size_t a,
			     size_t mid, size_t end)
{
	size_t b = mid;

	for (size_t i = a; i < end; i++) {
		bool takes_left = a < mid && (b >= end || from[a].time <= from[b].time);

		to[i] = takes_left ? from[a++] : from[b++];
	}
}

/* Merge neighbouring runs until there is one: O(n log runs), stable. */
static void perf_queue_sort(struct perf_queue *q)
{
	size_t n = q->items.len;

	VEC_RESERVE(&q->scratch, n);
	for (;;) {
		struct perf_queued *from = q->items.data;
		struct perf_queued *to = q->scratch.data;
		size_t at = 0;
		size_t runs = 0;

		if (n == 0 || perf_queue_run(from, 0, n) == n)
			return;
		while (at < n) {
			size_t mid = perf_queue_run(from, at, n);
			size_t end = mid < n ? perf_queue_run(from, mid, n) : n;

			perf_queue_merge(to, from, at, mid, end);
			at = end;
			runs++;
		}
		q->items.data = to;
		q->scratch.data = from;
		at = q->items.cap;
		q->items.cap = q->scratch.cap;
		q->scratch.cap = at;
		if (runs == 1)
			return;
	}
}

void perf_queue_round(struct perf_queue *q, bool everything, size_t *ret_n)
{
	size_t low = 0;
	size_t high = q->items.len;

	perf_queue_sort(q);
	while (!everything && low < high) {
		size_t mid = low + (high - low) / 2;

		if (q->items.data[mid].time <= q->complete)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_n = everything ? q->items.len : low;
	q->complete = q->latest;
}

void perf_queue_force(struct perf_queue *q, size_t n)
{
	perf_queue_sort(q);
	if (n && n <= q->items.len)
		q->complete = q->items.data[n - 1].time;
}

void perf_queue_drop(struct perf_queue *q, size_t n)
{
	if (n < q->items.len)
		memmove(q->items.data, q->items.data + n,
			(q->items.len - n) * sizeof(*q->items.data));
	q->items.len -= n;
}
