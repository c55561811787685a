/* SPDX-License-Identifier: MIT */
/*
 * progress.h - a progress line on a terminal
 *
 * A command owns a struct progress and passes it to library functions, which report their progress
 * to it. No line is shown for a step of less than a second, or if @fd is not a terminal. All
 * functions accept NULL, which means: show no progress. Not thread safe.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/str.h"

#define PROGRESS_AFTER_NS (UINT64_C(1) << 30) /* time from a step's start to its first line */
#define PROGRESS_EVERY_NS (UINT64_C(1) << 27) /* time between two lines */

struct progress {
	int fd; /* descriptor of the terminal; -1: no output */
	/* time from a step's start to its first line; default: PROGRESS_AFTER_NS */
	uint64_t after_ns;

	/* the members from here on are private */
	uint64_t began_ns;
	uint64_t next_ns; /* time when the next line is to be printed */
	bool is_shown;
	char what[64];
};

/*
 * Prepare progress lines on @fd. They are printed only if @fd is a terminal that can erase a line.
 */
void progress_init(struct progress *p, int fd);
/*
 * Start the step @what, such as "reading a.data". @what is copied without control characters; a
 * text that is too long is truncated.
 */
void progress_start(struct progress *p, struct str what);
/*
 * Report that @done of @total bytes are read. @total 0: the total is unknown. Cost: one read of the
 * clock.
 */
void progress_bytes(struct progress *p, uint64_t done, uint64_t total);
/* Report @done of @total items, named @things: "files". */
void progress_count(struct progress *p, uint64_t done, uint64_t total, const char *things);
/* Format @bytes: "212 bytes", "843 kB", "1.2 GB". */
void progress_amount(char *buf, size_t size, double bytes);
/* End the step: erase the line. */
void progress_end(struct progress *p);

#endif
