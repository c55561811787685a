/* SPDX-License-Identifier: MIT */
/*
 * perf_data_queue.h - records of a perf.data file in order of time
 *
 * Each CPU's buffer is written in order, CPUs are not in order among each other.
 * perf marks rounds: everything up to the latest time of the round before the
 * last is complete (tools/perf/util/ordered-events.c). Records are kept by
 * reference, sorted by natural merges (they come as a few ascending runs), and
 * handed over when their round is complete.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_QUEUE_H
#define FORMATS_PERF_DATA_QUEUE_H

#include "base/vec.h"

struct perf_queued {
	uint64_t time;
	const uint8_t *record; /* its header */
	uint32_t chunk;        /* of decompressed data that it lies in */
};

struct perf_queue {
	VEC(struct perf_queued) items;
	VEC(struct perf_queued) scratch;
	uint64_t latest;   /* time seen so far */
	uint64_t complete; /* latest of the round before */
};

void perf_queue_fini(struct perf_queue *q);
void perf_queue_add(struct perf_queue *q, uint64_t time, const uint8_t *record, uint32_t chunk);
/*
 * A round ends: sort, and tell in @ret_n how many items at the start are
 * complete. @everything: the file ends. The caller takes them, then calls
 * perf_queue_drop().
 */
void perf_queue_round(struct perf_queue *q, bool everything, size_t *ret_n);
/* Take the @n earliest as complete, though their round goes on: for the next perf_queue_round(). */
void perf_queue_force(struct perf_queue *q, size_t n);
void perf_queue_drop(struct perf_queue *q, size_t n);

#endif
