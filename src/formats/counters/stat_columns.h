/* SPDX-License-Identifier: MIT */
/*
 * stat_columns.h - tables of perf stat with a column for each metric
 *
 * perf stat --topdown, -M and --metric-only print no events, but a line of titles and a line of
 * values for each interval, core or CPU:
 *
 *     #           time                retiring      bad speculation
 *          1.000373951 S0-D0-C0           2               38.0%                 1.9%
 *
 * The values have a width of 20, but a longer title moves the titles to its right. Titles and
 * values therefore belong together by their order; rows without a value for each title are not
 * read. Source: tools/perf/util/stat-display.c of Linux, print_metric_headers() and
 * print_metric_only().
 */
#ifndef FORMATS_STAT_COLUMNS_H
#define FORMATS_STAT_COLUMNS_H

#include "base/str.h"

struct stat_row;

#define STAT_COLUMNS 32u

struct stat_columns {
	struct str titles[STAT_COLUMNS]; /* "insn per cycle"; borrowed from the text */
	bool is_percent[STAT_COLUMNS];   /* the title begins with "%" */
	size_t n;                        /* 0: no titles yet */
	bool has_time;                   /* rows begin with a time: -I */
	bool is_below_text; /* text is directly above: the first half of broken titles? */
	bool is_headed;     /* "Performance counter stats" is above: any titles are of perf stat */
};

/*
 * Parse the titles @line; @rest is the text below, whose first line must be a row. Sets all members
 * of @ret but is_headed and is_below_text. Titles without a head need a time (-I), or two metrics
 * of the topdown method.
 */
bool stat_columns_head(struct str line, struct str rest, struct stat_columns *ret);
/*
 * Parse a row below @h into @rows, which has room for STAT_COLUMNS rows, one for each column.
 * Returns their number; 0: no row.
 */
size_t stat_columns_row(const struct stat_columns *h, struct str line, struct stat_row *rows);

#endif
