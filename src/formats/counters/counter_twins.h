/* SPDX-License-Identifier: MIT */
/*
 * counter_twins.h - tasks with the same name in one interval
 *
 * In tables of tasks, the key of a row is the command of the task. If several tasks have the same
 * command, such as ten threads "worker", their counters would seem to belong to one object. So the
 * number of the task is appended to these keys: "worker (4711)".
 */
#ifndef FORMATS_COUNTER_TWINS_H
#define FORMATS_COUNTER_TWINS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct counters;
struct strings;

struct twin {
	str_id key;
	struct str number; /* PID or TID as printed; borrowed from the text */
	uint32_t interval;
	uint32_t first, n; /* index and number of the row's counters in counters.rows */
	bool is_shared;    /* in the same interval, another task has the same key */
};

struct twins {
	VEC(struct twin) rows;
};

/*
 * Store a row of @interval: @key is the command of the task, @number its number. The counters of
 * the row are the elements of @k from index @first on.
 */
void twins_add(struct twins *t, const struct counters *k, size_t first, str_id key,
	       struct str number, uint32_t interval);
/*
 * Rename the keys in @k of tasks that have the same name as another task. Frees the content of @t.
 */
void twins_apply(struct twins *t, struct counters *k, struct strings *strings);

#endif
