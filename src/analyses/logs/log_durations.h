/* SPDX-License-Identifier: MIT */
/*
 * log_durations.h - durations printed in records, and which of them are parts of a longer one
 *
 * A record states a duration if it has a number with a unit of time and a word such as "took". Time
 * limits and intervals of timers do not count. A record is printed at the end of the work that it
 * measures. The times of two records therefore show whether one duration lies within the other and
 * is a part of it.
 */
#ifndef ANALYSES_LOG_DURATIONS_H
#define ANALYSES_LOG_DURATIONS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

struct capture;

struct log_duration {
	uint64_t ns;
	uint64_t half_ns; /* rounding error: half a unit of the last printed digit */
	/* text of the message before the number, at most LOG_DURATION_TEXT bytes */
	struct str what;
	uint32_t record;
};

#define LOG_DURATION_TEXT 100u

struct log_durations {
	VEC(struct log_duration) rows; /* in print order */
	VEC(uint32_t) parts;           /* rows that are parts of `whole`, but not of another part */
	uint32_t whole;                /* the longest row that has parts; INDEX_NONE: none */
	uint64_t sum_ns;               /* sum of the parts */
	uint64_t half_ns;              /* rounding error of that sum and of the whole, added */
};

/* The duration stated in @text. False: none. */
bool log_duration_of(struct str text, struct log_duration *ret);
/*
 * Find the durations in the records of @c, and the parts of the longest one, in the same stream. @c
 * must outlive @d. Owner: caller, log_durations_fini(). Cost: O(bytes + durations * parts of one).
 */
void log_durations_init(struct log_durations *d, const struct capture *c);
void log_durations_fini(struct log_durations *d);

#endif
