/* SPDX-License-Identifier: MIT */
/*
 * perf_data_queue.h - sort records of a perf.data file by time
 *
 * Each CPU's buffer is in order; CPUs are not ordered relative to each other. perf marks
 * rounds: everything up to the latest time of the round before the last is complete
 * (tools/perf/util/ordered-events.c). Records stay in place as a few ascending runs, which are
 * merged when their round is complete. An item carries the sample's key data, so that its
 * record is accessed only once.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_QUEUE_H
#define FORMATS_PERF_DATA_QUEUE_H

#include "base/status.h"
#include "base/vec.h"

/* Values of `attr` other than an event's row: */
#define PERF_QUEUED_RECORD UINT32_MAX       /* not a sample */
#define PERF_QUEUED_SAMPLE (UINT32_MAX - 1) /* a sample that was not inspected */

struct perf_queued {
	uint64_t time;
	const uint8_t *record; /* points to its header */
	uint64_t hash;         /* of its address and chain: perf_chain_hash() */
	uint64_t period;
	uint32_t pid, tid;
	/* row of perf_file.attrs, or one of the above: then hash to tid are not set */
	uint32_t attr;
	uint32_t chunk; /* chunk of decompressed data that contains it */
};

struct perf_queue_run {
	uint32_t at, end;
	uint64_t time; /* time of the item at @at */
};

struct perf_queue {
	VEC(struct perf_queued) items;   /* in file order */
	VEC(struct perf_queue_run) runs; /* of items; the last one extends to their end */
	VEC(struct perf_queue_run) heap; /* runs being merged, earliest time first */
	VEC(uint32_t) order;             /* complete items, sorted */
	uint64_t last;                   /* time of the last item */
	uint64_t latest;                 /* latest time seen */
	uint64_t complete;               /* latest time of the previous round */
	uint64_t taken;                  /* items up to this time are in @order, or left it */
};

void perf_queue_fini(struct perf_queue *q);
/* Begin a run with the next item. */
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
 * End a round: put complete items into @q->order, sorted by time and stable. @everything: the
 * file ends. The caller processes them and calls perf_queue_drop(). Cost: O(n log runs).
 */
void perf_queue_round(struct perf_queue *q, bool everything);
/*
 * The same for the @n earliest items, and others with the time of the last one, before the
 * round ends.
 */
void perf_queue_force(struct perf_queue *q, size_t n);
void perf_queue_drop(struct perf_queue *q);

#endif
