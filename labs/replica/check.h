/* SPDX-License-Identifier: MIT */
/*
 * check.h - check that a history of client operations is linearizable
 *
 * Every operation appends its own id to a list. Its result is its place in the list (from 1) and
 * the id before it. For this object, linearizability can be decided exactly and fast: the places
 * determine the order, so there is only one order to check.
 *
 *   - No two operations have the same place, and no operation runs twice.
 *   - An operation that was answered before another was requested has a lower place.
 *   - If an operation saw another one as its predecessor, the other one has the previous place:
 *     it was answered with that place, or is unanswered and was requested in time.
 *   - So no answered operation is missing: each place that no client got belongs to an
 *     unanswered operation that was requested in time.
 *
 * test_check.c compares this with a search through all orders.
 */
#ifndef LABS_REPLICA_CHECK_H
#define LABS_REPLICA_CHECK_H

#include "replica/vr.h"

#define CHECK_NEVER UINT64_MAX

struct check_op {
	struct vr_entry id;
	uint64_t asked_ns;
	uint64_t answered_ns; /* CHECK_NEVER: not answered */
	uint64_t place;
	struct vr_entry before;
};

/*
 * Whether the history is linearizable. If not, the reason is written to @why, which has @size
 * bytes. Sorts @ops. Cost: O(n log n).
 */
bool check_history(struct check_op *ops, size_t n, char *why, size_t size);

#endif
