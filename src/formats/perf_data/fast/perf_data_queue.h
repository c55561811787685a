/* SPDX-License-Identifier: MIT */
/*
 * perf_data_queue.h - sort records of a perf.data file by time
 *
 * The records of each CPU are in time order, but not relative to those of other CPUs. perf marks
 * the end of each round over all CPU buffers. After the end of a round, all later records have a
 * time after the latest time of the previous round (tools/perf/util/ordered-events.c). So the
 * records up to this time are complete.
 *
 * The queue keeps records in file order, as a few runs (sequences that ascend in time). When a
 * round ends, it merges the complete parts of the runs. An item has the data of its sample that the
 * reader needs, so most records are not read again after sorting.
 */
#ifndef FORMATS_PERF_DATA_QUEUE_H
#define FORMATS_PERF_DATA_QUEUE_H

#include "base/status.h"
#include "base/vec.h"

/* Special values of perf_queued.attr. Any other value is a row of perf_file.attrs. */
#define PERF_QUEUED_RECORD UINT32_MAX       /* not a sample */
#define PERF_QUEUED_SAMPLE (UINT32_MAX - 1) /* a sample that perf_peek() could not decode */

struct perf_queued {
	uint64_t time;
	const uint8_t *record; /* start of the record, which is its header */
	uint64_t hash;         /* hash of the sample's address and chain: perf_chain_hash() */
	uint64_t period;
	uint32_t pid, tid;
	/*
	 * row in perf_file.attrs, or one of the PERF_QUEUED_ values. With the latter, hash, period,
	 * pid and tid are not set.
	 */
	uint32_t attr;
	uint32_t chunk; /* index in perf_reader.chunks of the chunk that contains the record */
};

struct perf_queue_run {
	uint32_t at, end;
	uint64_t time; /* time of the item at index @at */
};

struct perf_queue {
	VEC(struct perf_queued) items; /* in file order */
	/* parts of `items` in which times ascend; the last part extends to the end of `items` */
	VEC(struct perf_queue_run) runs;
	/* parts of runs to merge: a binary heap whose first element has the earliest time */
	VEC(struct perf_queue_run) heap;
	/* indices of items that can be processed, sorted by time */
	VEC(uint32_t) order;
	uint64_t last;   /* time of the last item */
	uint64_t latest; /* latest time of any item */
	/*
	 * latest time before the current round over all CPU buffers; items up to this time are
	 * complete
	 */
	uint64_t complete;
	/* all items up to this time are in `order`, or were already dropped */
	uint64_t taken;
};

void perf_queue_fini(struct perf_queue *q);
/*
 * Begin a new run (a sequence of items that ascends in time). The next item that is added becomes
 * its first item.
 */
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
 * Handle the end of a round over all CPU buffers, which perf marks. Puts the items that are now
 * complete into @q->order, as indices sorted by time. Items of equal time keep their order.
 * @everything: the file has ended, so all items are complete. The caller processes the items and
 * calls perf_queue_drop(). Cost: O(n log runs).
 */
void perf_queue_round(struct perf_queue *q, bool everything);
/*
 * Like perf_queue_round(), but before the end of a round. Puts the @n earliest items into
 * @q->order, and also items with the same time as the last of them.
 */
void perf_queue_force(struct perf_queue *q, size_t n);
/* Remove the items in @q->order, which the caller has processed, from the queue. */
void perf_queue_drop(struct perf_queue *q);

#endif
