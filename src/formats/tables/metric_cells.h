/* SPDX-License-Identifier: MIT */
/* metric_cells.h - split one row of a printed table into its cells */
#ifndef FORMATS_METRIC_CELLS_H
#define FORMATS_METRIC_CELLS_H

#include "base/limits.h"
#include "base/str.h"

struct arena;

enum metric_separator {
	METRIC_COLON, /* " : ", or the fullwidth colon U+FF1A */
	METRIC_TAB,
	METRIC_COMMA, /* a comma; cells may be quoted, as in RFC 4180 */
	METRIC_SEMICOLON,
	METRIC_SEPARATORS,
};

struct metric_cell {
	struct str text;   /* text of the cell, without quotes and without blanks around it */
	bool is_fullwidth; /* the colon before the cell is a fullwidth colon, U+FF1A */
};

struct metric_row {
	struct metric_cell cells[LIMIT_COLUMNS];
	unsigned int n;
	unsigned int n_lines; /* number of lines of the text over which the row extends */
	/* the row has more than LIMIT_COLUMNS cells, so some are missing */
	bool is_cut;
	/* a quote is never closed, so it is treated as part of the text */
	bool is_unclosed;
};

/*
 * Take one row, of one or more lines, from the start of @text. @has_lines: a quoted cell may extend
 * over several lines, and a row with colons is joined with its continuation lines; false: the row
 * has one line. Cells with doubled quotes are copied to @scratch; other cells are views of the
 * text. False: @text is empty.
 */
bool metric_row_take(struct str *text, enum metric_separator separator, bool has_lines,
		     struct arena *scratch, struct metric_row *row);

/* Fast test whether @line may be a row with colons ("name : 1 : 2"). It rejects most lines. */
bool metric_cell_may_be_colon(struct str line);
/*
 * Whether @cell is a number: "12", "-0.5", "1e-3", "12%". @ret: its value. @ret_is_integer,
 * @ret_is_percent: whether it is an integer, and a percentage. These three may be NULL.
 */
bool metric_cell_number(struct str cell, double *ret, bool *ret_is_integer, bool *ret_is_percent);
/*
 * Whether @cell can be a function name: "packet_rcv", "std::sort<int*>", "a.b", "foo(int, char)".
 */
bool metric_cell_is_name(struct str cell);

#endif
