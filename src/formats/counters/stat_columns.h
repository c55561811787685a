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
 * Values are 20 characters wide, but a longer title moves all titles to its right. So the position
 * in the line does not show which title belongs to a value: the n-th title belongs to the n-th
 * value. A row with a missing value is not read. Source: tools/perf/util/stat-display.c of Linux,
 * print_metric_headers() and print_metric_only().
 */
#ifndef FORMATS_STAT_COLUMNS_H
#define FORMATS_STAT_COLUMNS_H

#include "base/str.h"

struct stat_row;

#define STAT_COLUMNS 32u

struct stat_columns {
	struct str titles[STAT_COLUMNS]; /* "insn per cycle"; borrowed from the text */
	bool is_percent[STAT_COLUMNS];   /* the title begins with "%" */
	size_t n;                        /* number of titles; 0: no titles yet */
	bool has_time;                   /* rows begin with a time: -I */
	/*
	 * The line above the current one is ordinary text. So the current line may be the second
	 * half of a line of titles that was broken.
	 */
	bool is_below_text;
	/*
	 * a line "Performance counter stats for …" is above, so any line of titles is from perf
	 * stat
	 */
	bool is_headed;
};

/*
 * Parse the line of titles @line. @rest: the following text, whose first line must be a row. Sets
 * all members of @ret except is_headed and is_below_text. If is_headed is false, @line is accepted
 * only if the rows have times (-I), or if two titles are metrics of the topdown method.
 */
bool stat_columns_head(struct str line, struct str rest, struct stat_columns *ret);
/*
 * Parse a row under the titles @h into @rows, an array of STAT_COLUMNS elements, one for each
 * column. Returns their number; 0: @line is no row.
 */
size_t stat_columns_row(const struct stat_columns *h, struct str line, struct stat_row *rows);

#endif
