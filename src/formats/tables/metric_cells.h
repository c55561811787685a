/* SPDX-License-Identifier: MIT */
/* metric_cells.h - split one row of a printed table into its cells */
#ifndef FORMATS_METRIC_CELLS_H
#define FORMATS_METRIC_CELLS_H

#include "base/limits.h"
#include "base/str.h"

struct arena;

enum metric_separator {
	METRIC_COLON, /* " : " or the fullwidth colon U+FF1A */
	METRIC_TAB,
	METRIC_COMMA, /* cells as in RFC 4180, with quotes */
	METRIC_SEMICOLON,
	METRIC_SEPARATORS,
};

struct metric_cell {
	struct str text;   /* without quotes and surrounding blanks */
	bool is_fullwidth; /* the colon before the cell was U+FF1A */
};

struct metric_row {
	struct metric_cell cells[LIMIT_COLUMNS];
	unsigned int n;
	unsigned int n_lines; /* number of lines of the text that the row takes */
	bool is_cut;          /* the row has more cells than LIMIT_COLUMNS */
	bool is_unclosed;     /* a quote is never closed, so it is part of the text */
};

/*
 * Take one row, which is at least one line, from the start of @text. With @has_lines, a quoted cell
 * may span several lines, and rows with colons are joined with the lines that continue them. Cells
 * with doubled quotes are copied to @scratch; other cells point into the text. False: end of @text.
 */
bool metric_row_take(struct str *text, enum metric_separator separator, bool has_lines,
		     struct arena *scratch, struct metric_row *row);

/* Fast check whether @line may be a row with colons ("name : 1 : 2"). False for most lines. */
bool metric_cell_may_be_colon(struct str line);
/* Whether @cell is a number: "12", "-0.5", "1e-3", "12%". The @ret_ arguments may be NULL. */
bool metric_cell_number(struct str cell, double *ret, bool *ret_is_integer, bool *ret_is_percent);
/*
 * Whether @cell can be a function name: "packet_rcv", "std::sort<int*>", "a.b", "foo(int, char)".
 */
bool metric_cell_is_name(struct str cell);

#endif
