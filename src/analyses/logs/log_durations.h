/* SPDX-License-Identifier: MIT */
/*
 * log_durations.h - durations that log records print, and the longest one with its parts
 *
 * A record prints a duration if it has a number with a unit of time and a word such as "took". Time
 * limits and intervals of timers do not count. A record is written at the end of the work that it
 * measures. So its time and its duration show when the work ran. Work that ran within other work is
 * a part of it.
 */
#ifndef ANALYSES_LOG_DURATIONS_H
#define ANALYSES_LOG_DURATIONS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

struct log_duration {
	uint64_t ns;
	uint64_t half_ns; /* error by rounding: half a unit of the last printed digit */
	/* text of the message before the number, at most LOG_DURATION_TEXT bytes */
	struct str what;
	/* hash of `what` without digits and values of fields; set by log_durations_init() */
	uint64_t kind;
	uint32_t record;
	bool is_request; /* `what` is the method and path of a request, without its parameters */
};

#define LOG_DURATION_TEXT 100u

struct log_durations {
	VEC(struct log_duration) rows; /* in the order of the records; only records with a time */
	/* indices of the rows that are parts of `whole`, without parts of parts */
	VEC(uint32_t) parts;
	uint32_t whole;   /* index of the longest row that has parts; INDEX_NONE: none */
	uint64_t sum_ns;  /* sum of the durations of the parts */
	uint64_t half_ns; /* sum of the rounding errors of the parts and of the whole */
};

/* Find the duration that @text prints. False: none. */
bool log_duration_of(struct str text, struct log_duration *ret);
/* Whether @text reports background work, such as a checkpoint or a compaction. */
bool log_duration_is_background(struct str text);
/*
 * Find the next duration of a step in @text, from *@at on: "wait=831ms", "took 5 ms", "db_ms=12".
 * Settings, ages and means are skipped. ret->what is the text between *@at and the number. Then
 * *@at is moved to the end of the number. False: there is no further duration.
 */
bool log_duration_next(struct str text, size_t *at, struct log_duration *ret);
/*
 * Find the durations in the records of @c, and the longest one with parts (`whole`, `parts`). A
 * part is a shorter duration of the same stream that lies within it. @c must outlive @d. Owner:
 * caller, log_durations_fini(). Cost: O(bytes + durations * parts of one duration).
 */
void log_durations_init(struct log_durations *d, const struct capture *c);
void log_durations_fini(struct log_durations *d);

#endif
