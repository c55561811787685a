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

/* A row as text. All texts are views of the line. */
struct perf_row_text {
	struct perf_percent percents[PERF_PERCENTS];
	unsigned int n_percents;
	/* bits of enum row_has for the columns that the row has; percentages have no bits here */
	uint16_t has;
	char level; /* letter of the level marker: 'k' in "[k]"; ' ': no marker */
	char mark;  /* mark of a row in perf's TUI, '+' or '-'; ' ': none */
	/* no symbol follows the level marker, so the symbol is on the next line */
	bool has_open_symbol;
	/* start column of the mark; without a mark, start column of the percentage */
	uint32_t mark_at;
	uint32_t name_at; /* column of the first character after the percentages */
	uint32_t pid;
	uint32_t cpu;
	uint64_t samples;
	uint64_t period;
	struct str comm;
	struct str dso;
	struct str symbol;
	struct str remark; /* words that a user added after the symbol */
	/*
	 * cells of the columns with the kind PERF_COL_EXTRA, by index of the column in the layout
	 */
	struct str cells[PERF_COLUMNS];
};

/*
 * Parse @line as a row. The titles of the table define the columns. Without titles, the columns are
 * inferred from the row itself. False: the line does not start with a percentage. Also false if the
 * line has no level marker ("[k]"), and @layout has neither the flag has_titles nor has_bare.
 */
bool perf_row_parse(struct str line, const struct perf_layout *layout, struct perf_row_text *ret);
/*
 * Whether @line is a row without a level marker ("[k]"): it has percentages, two blanks and a name,
 * and a tree drawn with | and -- follows in @rest. @rest: the text after the line.
 */
bool perf_row_is_bare(struct str line, struct str rest);
/*
 * Guess the columns of a table without titles from several rows, because a single row is ambiguous.
 * Reads the first 64 rows in the first 4096 lines of @text.
 */
void perf_row_sniff(struct str text, struct perf_layout *layout);

#endif
