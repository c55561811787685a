/* SPDX-License-Identifier: MIT */
/*
 * progress.h - one line on a terminal that says how far long work is
 *
 * A command owns a struct progress and hands it down; library code only says
 * how far it is and does not know whether anybody looks. Nothing is shown for
 * work that takes less than a second, nor where @fd is no terminal. All
 * functions take NULL for no progress. Not thread safe.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/str.h"

#define PROGRESS_AFTER_NS (UINT64_C(1) << 30) /* of work, before the first line */
#define PROGRESS_EVERY_NS (UINT64_C(1) << 27) /* between two lines */

struct progress {
	int fd;            /* -1: nothing is shown */
	uint64_t after_ns; /* PROGRESS_AFTER_NS */

	/* private */
	uint64_t began_ns;
	uint64_t next_ns; /* no line before that */
	bool is_shown;
	char what[64];
};

/* Lines go to @fd if it is a terminal that can erase a line. */
void progress_init(struct progress *p, int fd);
/* Work begins: "reading a.data". @what is copied, cut where it is long; no control bytes. */
void progress_start(struct progress *p, struct str what);
/* @done of @total bytes are; @total is 0 where it is not known. Cost: reads a clock. */
void progress_bytes(struct progress *p, uint64_t done, uint64_t total);
/* @done of @total things are, called @things: "files". */
void progress_count(struct progress *p, uint64_t done, uint64_t total, const char *things);
/* Work has ended: the line is erased. */
void progress_end(struct progress *p);

#endif
