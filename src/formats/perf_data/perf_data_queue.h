/* SPDX-License-Identifier: MIT */
/*
 * perf_data_queue.h - records of a perf.data file in order of time
 *
 * Each CPU's buffer is written in order, CPUs are not in order among each other.
 * perf marks rounds: everything up to the latest time of the round before the
 * last is complete (tools/perf/util/ordered-events.c). Records stay where they
 * are, as a few ascending runs, which are merged when their round is complete.
 * What a sample is known by goes with it, so that its record is touched once.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_QUEUE_H
#define FORMATS_PERF_DATA_QUEUE_H

#include "base/vec.h"

/* In place of an event's row: */
#define PERF_QUEUED_RECORD UINT32_MAX       /* no sample */
#define PERF_QUEUED_SAMPLE (UINT32_MAX - 1) /* a sample of which nothing is known yet */

struct perf_queued {
	uint64_t time;
	const uint8_t *record; /* its header */
	uint64_t hash;         /* of its place and its chain: perf_chain_hash() */
	uint64_t period;
	uint32_t pid, tid;
	uint32_t attr;  /* row of perf_file.attrs, or one of the above: hash to tid are not set */
	uint32_t chunk; /* of decompressed data that it lies in */
};

struct perf_queue_run {
	uint32_t at, end;
	uint32_t next; /* run of which all is behind this one; 0: none */
	uint32_t tail; /* while runs are put together: the last of them */
	uint64_t time; /* of the item at @at */
};

struct perf_queue {
	VEC(struct perf_queued) items;   /* in the order of the file */
	VEC(struct perf_queue_run) runs; /* of items; the last one ends where they end */
	VEC(struct perf_queue_run) heap; /* those that are merged, the earliest time first */
	VEC(uint32_t) order;             /* items that are complete */
	uint64_t last;                   /* time of the last item */
	uint64_t latest;                 /* time seen so far */
	uint64_t complete;               /* latest of the round before */
	uint64_t taken;                  /* time up to which they are in @order */
};

void perf_queue_fini(struct perf_queue *q);
/* Begin a run with the item that is added next. */
void perf_queue_turn(struct perf_queue *q);
static inline void perf_queue_add(struct perf_queue *q, const struct perf_queued *item)
{
	if (UNLIKELY(item->time < q->last || q->items.len == 0))
		perf_queue_turn(q);
	q->last = item->time;
	if (item->time > q->latest)
		q->latest = item->time;
	*VEC_PUSH(&q->items) = *item;
}
/*
 * A round ends: put the items that are complete in @q->order, records of one time as
 * they are in the file. @everything: the file ends. The caller takes them, then calls
 * perf_queue_drop(). Cost: O(n log runs).
 */
void perf_queue_round(struct perf_queue *q, bool everything);
/*
 * The same with the @n earliest, and others of the time of the last of them, though their round
 * goes on: what is complete when it ends stays what it is.
 */
void perf_queue_force(struct perf_queue *q, size_t n);
void perf_queue_drop(struct perf_queue *q);

#endif
