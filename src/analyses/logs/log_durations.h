/* SPDX-License-Identifier: MIT */
/*
 * log_durations.h - durations that log records print, and the longest one with its parts
 *
 * A record prints a duration if it has a number with a unit of time and a word such as "took". Time
 * limits and intervals of timers do not count. A record is written at the end of the work that it
 * measures. So the times of two records show whether one work ran within the other, and is then a
 * part of it.
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
	uint64_t half_ns; /* error from printing: half a unit of the last digit */
	/* text of the message before the number, at most LOG_DURATION_TEXT bytes */
	struct str what;
	uint64_t kind; /* hash of `what` without numbers and values; set by log_durations_init() */
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
	uint64_t half_ns; /* sum of the errors from printing: of the parts and of the whole */
};

/* Find the duration that @text prints. False: none. */
bool log_duration_of(struct str text, struct log_duration *ret);
/* Whether @text reports background work, such as a checkpoint or a compaction. */
bool log_duration_is_background(struct str text);
/*
 * Find the next duration of a step in @text, from *@at on: "wait=831ms", "took 5 ms", "db_ms=12".
 * Settings, ages and means do not count. ret->what is the text between *@at and the number; then
 * *@at is set to the end of the number. False: there is no further duration.
 */
bool log_duration_next(struct str text, size_t *at, struct log_duration *ret);
/*
 * Find the durations in the records of @c, and the longest one that contains others of the same
 * stream (`whole`, `parts`). @c must outlive @d. Owner: caller, log_durations_fini(). Cost: O(bytes
 * + durations * parts of one).
 */
void log_durations_init(struct log_durations *d, const struct capture *c);
void log_durations_fini(struct log_durations *d);

#endif
