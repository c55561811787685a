/* SPDX-License-Identifier: MIT */
/*
 * log_durations.h - durations printed in records, and those that are parts of a longer one
 *
 * A record states a duration if it has a number with a unit of time and a word such as "took":
 * a time limit or an interval of a timer is none. The record is printed at the end of what it
 * measures: a duration is a part of another one if it lies in it by these times.
 */
#ifndef ANALYSES_LOG_DURATIONS_H
#define ANALYSES_LOG_DURATIONS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

struct capture;

struct log_duration {
	uint64_t ns;
	uint64_t half_ns; /* half a unit of the last printed digit */
	struct str what;  /* the message up to the number, at most LOG_DURATION_TEXT bytes */
	uint32_t record;
};

#define LOG_DURATION_TEXT 100u

struct log_durations {
	VEC(struct log_duration) rows; /* in print order */
	VEC(uint32_t) parts;           /* of the whole: rows that lie in it and in no other part */
	uint32_t whole;   /* row with the longest duration that has parts; INDEX_NONE: none */
	uint64_t sum_ns;  /* of the parts */
	uint64_t half_ns; /* rounding of that sum, and of the whole */
};

/* The duration that @text states. False: none. */
bool log_duration_of(struct str text, struct log_duration *ret);
/*
 * Durations of the records of @c; parts only within one stream. Borrows from @c. Owner: caller,
 * log_durations_fini(). Cost: O(bytes + durations * parts of one).
 */
void log_durations_init(struct log_durations *d, const struct capture *c);
void log_durations_fini(struct log_durations *d);

#endif
