/* SPDX-License-Identifier: MIT */
/*
 * perf_data_queue.h - sort records of a perf.data file by time
 *
 * The records of each CPU are in time order, but the file mixes the CPUs. perf reads all CPU
 * buffers in rounds, and marks the end of each round in the file. All records after this mark are
 * later than the latest record of the previous round (tools/perf/util/ordered-events.c). So at the
 * mark, no record up to that time is missing, and these records can be sorted.
 *
 * The queue keeps records in file order, as a few runs (sequences with ascending times). When a
 * round ends, the queue merges the complete parts of the runs. A queue item contains the data of
 * its sample that the reader needs, so most records are not read again after sorting.
 */
#ifndef FORMATS_PERF_DATA_QUEUE_H
#define FORMATS_PERF_DATA_QUEUE_H

#include "base/status.h"
#include "base/vec.h"

/* Special values of perf_queued.attr. Any other value is an index in perf_file.attrs. */
#define PERF_QUEUED_RECORD UINT32_MAX /* the record is not a sample */
/* perf_peek() could not decode the sample */
#define PERF_QUEUED_SAMPLE (UINT32_MAX - 1)

struct perf_queued {
	uint64_t time;
	const uint8_t *record; /* start of the record's header */
	uint64_t hash;         /* hash of the sample's address and chain: perf_chain_hash() */
	uint64_t period;
	uint32_t pid, tid;
	/*
	 * event: index in perf_file.attrs, or one of the PERF_QUEUED_ values. For a PERF_QUEUED_
	 * value, hash, period, pid and tid are not set.
	 */
	uint32_t attr;
	uint32_t chunk; /* index in perf_reader.chunks of the chunk that contains the record */
};

struct perf_queue_run {
	uint32_t at, end;
	uint64_t time; /* time of the first item of the run, which has the index `at` */
};

struct perf_queue {
	VEC(struct perf_queued) items; /* queued records, in file order */
	/* ranges of `items` with ascending times; the last range extends to the end of `items` */
	VEC(struct perf_queue_run) runs;
	/* ranges that are being merged: a binary heap whose first element has the earliest time */
	VEC(struct perf_queue_run) heap;
	/* indices of the items that the caller can process, sorted by time */
	VEC(uint32_t) order;
	uint64_t last;   /* time of the last item */
	uint64_t latest; /* latest time of any item */
	/*
	 * latest time of the items before the current round over all CPU buffers. At the end of the
	 * current round, the queue has all records up to this time
	 */
	uint64_t complete;
	/* all items up to this time were moved to `order` */
	uint64_t taken;
};

void perf_queue_fini(struct perf_queue *q);
/*
 * Begin a new run, a sequence of items with ascending times. The next added item becomes its first
 * item.
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
 * Handle the end of a round over all CPU buffers. Puts the indices of the items that are now
 * complete into @q->order, sorted by time. Items of equal time keep their order. @everything: the
 * file has ended, so all items are complete. The caller must process these items and call
 * perf_queue_drop(). Cost: O(n log runs).
 */
void perf_queue_round(struct perf_queue *q, bool everything);
/*
 * Like perf_queue_round(), but may be called before the end of a round. Puts the indices of the @n
 * earliest items into @q->order. If later items have the same time as the last of these, their
 * indices are added, too.
 */
void perf_queue_force(struct perf_queue *q, size_t n);
/* Remove from the queue the items whose indices are in @q->order. The caller has processed them. */
void perf_queue_drop(struct perf_queue *q);

#endif
