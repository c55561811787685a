/* SPDX-License-Identifier: MIT */
/*
 * browse_time.h - when the threads of a recording ran: one row per thread, time runs to the right
 */
#ifndef CMDS_BROWSE_TIME_H
#define CMDS_BROWSE_TIME_H

#include <stdbool.h>

struct capture;
struct out;
struct pages;
struct text_options;

/* Whether the samples of @c have times and threads. */
bool browse_time_has(const struct capture *c);
/*
 * Write a title with the time span, a row for all threads together, and a row for each of the
 * busiest threads. Append the rows of threads to @pages, too. A cell shows the weight of the
 * samples in its time span. The row for all threads is scaled to its own heaviest cell; the rows of
 * threads share one scale.
 */
void browse_time_draw(struct pages *pages, const struct text_options *text, struct out *out);

#endif
