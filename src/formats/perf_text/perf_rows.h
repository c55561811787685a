/* SPDX-License-Identifier: MIT */
/*
 * perf_rows.h - the rows of a printed perf table
 *
 * A row starts with a percentage and has a level marker (`[k] `) before the symbol, or follows
 * titles.
 */
#ifndef FORMATS_PERF_ROWS_H
#define FORMATS_PERF_ROWS_H

#include "base/str.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_titles.h"

#define PERF_PERCENTS 8u /* at the start of one row */

/* A row as text; views borrow from the line. */
struct perf_row_text {
	struct perf_percent percents[PERF_PERCENTS];
	unsigned int n_percents;
	uint16_t has;         /* enum row_has; without percentages */
	char level;           /* ' ' if there is none */
	char mark;            /* '+', '-' of the TUI, otherwise ' ' */
	bool has_open_symbol; /* a level marker without a symbol after it: wrapped */
	uint32_t mark_at;     /* column of the mark, or of the percentage */
	uint32_t name_at;     /* column after the percentages */
	uint32_t pid;
	uint32_t cpu;
	uint64_t samples;
	uint64_t period;
	struct str comm;
	struct str dso;
	struct str symbol;
	struct str remark;              /* words after the symbol that no title explains */
	struct str cells[PERF_COLUMNS]; /* by column of the layout, for PERF_COL_EXTRA */
};

/*
 * Parse a row, by the layout if it has titles, otherwise by the form of the row. False: no
 * percentage in its place, or no level marker without titles and without layout->has_bare.
 */
bool perf_row_parse(struct str line, const struct perf_layout *layout, struct perf_row_text *ret);
/*
 * Is @line, percentages and a name without a level marker, a row? Yes if two blanks precede the
 * name and @rest starts with a drawn tree.
 */
bool perf_row_is_bare(struct str line, struct str rest);
/*
 * Complete the layout of a table without titles from the first 64 rows within 4096 lines of
 * @text, because one row is ambiguous.
 */
void perf_row_sniff(struct str text, struct perf_layout *layout);

#endif
