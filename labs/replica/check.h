/* SPDX-License-Identifier: MIT */
/*
 * check.h - is a history of clients one that a single list could have had?
 *
 * Every operation appends its own id; its result is the place it got (from 1) and
 * the id before it. For this object linearizability can be decided exactly and
 * fast: places are the order, so there is one to look at, not all.
 *
 *   - no two operations have one place, none is done twice;
 *   - an operation that was answered before another was asked has a lower place;
 *   - what an operation saw before it is what has the place before its own: one
 *     that was answered with that place, or one without an answer that was asked
 *     in time;
 *   - so nothing answered is missing: each place that nobody was told is taken by
 *     an operation that waits for its answer and was asked in time.
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
	uint64_t answered_ns; /* CHECK_NEVER */
	uint64_t place;
	struct vr_entry before;
};

/*
 * True when the history is linearizable; else @why (of @size bytes) says what is
 * not. @ops are sorted anew. Cost: O(n log n).
 */
bool check_history(struct check_op *ops, size_t n, char *why, size_t size);

#endif
