/* SPDX-License-Identifier: MIT */
/*
 * perf_titles.h - the titles of a printed perf table, and its layout
 *
 * The known titles are perf's sort keys and columns (tools/perf/util/sort.c, ui/hist.c), as
 * --stdio prints them and as the TUI cuts them.
 */
#ifndef FORMATS_PERF_TITLES_H
#define FORMATS_PERF_TITLES_H

#include "base/str.h"

#define PERF_COLUMNS   32u /* limit for one table; further titles are ignored */
#define PERF_HIERARCHY 8u  /* levels of --hierarchy */

enum perf_column_kind {
	PERF_COL_EXTRA,
	PERF_COL_CHILDREN,
	PERF_COL_SELF,
	PERF_COL_SAMPLES,
	PERF_COL_PERIOD,
	PERF_COL_PID, /* "1234" or "1234:comm" */
	PERF_COL_CPU,
	PERF_COL_COMM,
	PERF_COL_DSO,
	PERF_COL_SYMBOL,
};

struct perf_column {
	struct str title;
	uint32_t from; /* start on the title line */
	uint8_t kind;  /* enum perf_column_kind */
};

struct perf_layout {
	struct perf_column columns[PERF_COLUMNS];
	unsigned int n;
	unsigned int n_percents; /* leading columns of percentages, by titles */
	unsigned int n_leading;  /* columns of numbers before the first percentage */
	bool has_titles;
	bool has_symbol;
	bool is_diff;                      /* titles of `perf diff`: not a profile */
	unsigned int n_hierarchy;          /* levels of `Command / Shared Object / Symbol`, or 0 */
	uint8_t hierarchy[PERF_HIERARCHY]; /* enum perf_column_kind */
	struct str level_titles[PERF_HIERARCHY];
	bool one_name_is_comm; /* no titles: a single column of names is the command, not the DSO */
	bool number_is_cpu;    /* no titles: the column of numbers is the CPU */
	bool has_bare;         /* no titles: rows of only a command, an object or other words */
};

/*
 * Read titles into @ret. False: no titles. perf_titles_more() reads a second line of titles
 * that a mailer wrapped.
 */
bool perf_titles_read(struct str line, struct perf_layout *ret);
void perf_titles_more(struct str line, struct perf_layout *layout);
/* Correct the start of columns by the dots under the titles. */
void perf_titles_ruler(struct str line, struct perf_layout *layout);

#endif
