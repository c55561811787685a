/* SPDX-License-Identifier: MIT */
/* browse_time.h - when the threads of a recording ran: a row for each thread, time to the right */
#ifndef CMDS_BROWSE_TIME_H
#define CMDS_BROWSE_TIME_H

#include <stdbool.h>

struct capture;
struct out;
struct pages;
struct text_options;

/* Whether the samples of @c have times. */
bool browse_time_has(const struct capture *c);
/*
 * Write a title with the time span, a row for all threads, and one for each of the busiest threads,
 * which are appended to @pages. A cell shows the weight of its samples relative to the heaviest
 * cell of its kind of row.
 */
void browse_time_draw(struct pages *pages, const struct text_options *text, struct out *out);

#endif
