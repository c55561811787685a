/* SPDX-License-Identifier: MIT */
/*
 * perf_titles.h - the titles of a printed perf table, and the layout of its columns
 *
 * The known titles are those of perf's sort keys and columns (tools/perf/util/sort.c, ui/hist.c).
 * --stdio prints complete titles. perf's TUI (terminal interface) may truncate them.
 */
#ifndef FORMATS_PERF_TITLES_H
#define FORMATS_PERF_TITLES_H

#include "base/str.h"

#define PERF_COLUMNS   32u /* maximum number of columns of a table */
#define PERF_HIERARCHY 8u  /* maximum number of levels of perf report --hierarchy */

enum perf_column_kind {
	PERF_COL_EXTRA,
	PERF_COL_CHILDREN,
	PERF_COL_SELF,
	PERF_COL_SAMPLES,
	PERF_COL_PERIOD,
	PERF_COL_PID, /* process id: "1234" or "1234:comm" */
	PERF_COL_CPU,
	PERF_COL_COMM,
	PERF_COL_DSO,
	PERF_COL_SYMBOL,
};

struct perf_column {
	struct str title;
	uint32_t from; /* column of the line in which the title starts; UINT32_MAX: unknown */
	uint8_t kind;  /* enum perf_column_kind */
};

struct perf_layout {
	struct perf_column columns[PERF_COLUMNS];
	unsigned int n;
	/* number of columns with percentages; they directly follow the first n_leading columns */
	unsigned int n_percents;
	/* number of columns before the first percentage, with other numbers such as samples */
	unsigned int n_leading;
	bool has_titles;
	bool has_symbol;
	/* the titles are those of `perf diff`, whose table is not a profile */
	bool is_diff;
	/* number of levels in the title `Command / Shared Object / Symbol`; 0: no hierarchy */
	unsigned int n_hierarchy;
	uint8_t hierarchy[PERF_HIERARCHY]; /* kind of each level: enum perf_column_kind */
	struct str level_titles[PERF_HIERARCHY];
	/* for tables without titles: a single name before the symbol is the command, not the DSO */
	bool one_name_is_comm;
	/*
	 * for tables without titles: the column of whole numbers is the CPU, not the number of
	 * samples
	 */
	bool number_is_cpu;
	/*
	 * for tables without titles: a row may have no level marker ("[k]") and only one name, a
	 * command or an object
	 */
	bool has_bare;
};

/*
 * Read the titles in @line into @ret. False: @line has no titles. If a mailer wrapped the titles,
 * pass the second line to perf_titles_more().
 */
bool perf_titles_read(struct str line, struct perf_layout *ret);
void perf_titles_more(struct str line, struct perf_layout *layout);
/* Set the columns that perf mem report prints by default. Used for rows without titles. */
void perf_titles_memory(struct perf_layout *ret);
/* Correct the start columns in @layout. @line: the ruler, the line of dots under the titles. */
void perf_titles_ruler(struct str line, struct perf_layout *layout);

#endif
