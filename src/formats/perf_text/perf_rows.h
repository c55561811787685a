/* SPDX-License-Identifier: MIT */
/*
 * perf_rows.h - the rows of a printed perf table
 *
 * A row starts with a percentage. In a table without titles, it also has a level marker (`[k]`,
 * `[.]`) before the symbol.
 */
#ifndef FORMATS_PERF_ROWS_H
#define FORMATS_PERF_ROWS_H

#include "base/str.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_titles.h"

#define PERF_PERCENTS 8u /* maximum number of percentages at the start of a row */

/* A row as text. The strings point into the line. */
struct perf_row_text {
	struct perf_percent percents[PERF_PERCENTS];
	unsigned int n_percents;
	uint16_t has; /* bits of enum row_has, except those of percentages */
	char level;   /* letter of the level marker: 'k' in "[k]"; ' ': no marker */
	char mark;    /* mark of a row in perf's TUI, '+' or '-'; ' ': none */
	/* the line ends after the level marker: the symbol is on the next line */
	bool has_open_symbol;
	uint32_t mark_at; /* column of the mark; without a mark, column of the percentage */
	uint32_t name_at; /* column of the first character after the percentages */
	uint32_t pid;
	uint32_t cpu;
	uint64_t samples;
	uint64_t period;
	struct str comm;
	struct str dso;
	struct str symbol;
	struct str remark; /* words that were added by hand after the symbol */
	/* cells of the columns of kind PERF_COL_EXTRA; index: the column's index in the layout */
	struct str cells[PERF_COLUMNS];
};

/*
 * Parse a row. The titles of the table define the columns; without titles, the form of the row
 * does. False: the line does not start with a percentage, or it has no level marker ("[k]")
 * although the layout has neither has_titles nor has_bare.
 */
bool perf_row_parse(struct str line, const struct perf_layout *layout, struct perf_row_text *ret);
/*
 * Whether @line, which has percentages and a name but no level marker ("[k]"), is a row. Two blanks
 * must precede the name, and a tree drawn with | and -- must follow in @rest, the text after the
 * line.
 */
bool perf_row_is_bare(struct str line, struct str rest);
/*
 * Guess the columns of a table without titles, from the first 64 rows in the first 4096 lines of
 * @text. A single row would be ambiguous.
 */
void perf_row_sniff(struct str text, struct perf_layout *layout);

#endif
