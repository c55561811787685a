/* SPDX-License-Identifier: MIT */
/*
 * counter_twins.h - tasks of one name in one interval
 *
 * Tables of tasks name a row by its command, which several tasks may share: ten threads "worker".
 * Their counters would be of one object. The keys of such tasks get the number of the task:
 * "worker (4711)".
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
	uint32_t first, n; /* its counters, in counters.rows */
	bool is_shared;    /* another row of the interval has the same key and another number */
};

struct twins {
	VEC(struct twin) rows;
};

/*
 * Note a row of @interval whose task has the command @key and the number @number. Its counters are
 * those of @k from @first on.
 */
void twins_add(struct twins *t, const struct counters *k, size_t first, str_id key,
	       struct str number, uint32_t interval);
/* Rename the keys in @k of tasks that share their name with another one. Frees the content of @t.
 */
void twins_apply(struct twins *t, struct counters *k, struct strings *strings);

#endif
