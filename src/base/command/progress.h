/* SPDX-License-Identifier: MIT */
/*
 * progress.h - a progress line on a terminal
 *
 * A command owns a struct progress and passes it down; library code only reports progress. Work
 * of less than a second shows no line, and neither does an @fd that is not a terminal. All
 * functions accept NULL for no progress. Not thread safe.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/str.h"

#define PROGRESS_AFTER_NS (UINT64_C(1) << 30) /* time from a step's start to its first line */
#define PROGRESS_EVERY_NS (UINT64_C(1) << 27) /* time between two lines */

struct progress {
	int fd;            /* -1: no output */
	uint64_t after_ns; /* time before the first line; default: PROGRESS_AFTER_NS */

	/* private */
	uint64_t began_ns;
	uint64_t next_ns; /* time at which the next line is due */
	bool is_shown;
	char what[64];
};

/* Print lines to @fd if it is a terminal that can erase a line. */
void progress_init(struct progress *p, int fd);
/*
 * Start a step, such as "reading a.data". @what is copied, without control bytes, and truncated
 * if too long.
 */
void progress_start(struct progress *p, struct str what);
/* Report @done of @total bytes; @total 0: unknown. Cost: reads a clock. */
void progress_bytes(struct progress *p, uint64_t done, uint64_t total);
/* Report @done of @total items, named @things: "files". */
void progress_count(struct progress *p, uint64_t done, uint64_t total, const char *things);
/* Format @bytes: "212 bytes", "843 kB", "1.2 GB". */
void progress_amount(char *buf, size_t size, double bytes);
/* End the step: erase the line. */
void progress_end(struct progress *p);

#endif
