/* SPDX-License-Identifier: MIT */
/* metric_cells.h - split one row of a printed table into its cells */
#ifndef FORMATS_METRIC_CELLS_H
#define FORMATS_METRIC_CELLS_H

#include "base/limits.h"
#include "base/str.h"

struct arena;

enum metric_separator {
	METRIC_COLON, /* " : " and U+FF1A */
	METRIC_TAB,
	METRIC_COMMA, /* RFC 4180 */
	METRIC_SEMICOLON,
	METRIC_SEPARATORS,
};

struct metric_cell {
	struct str text;   /* without quotes and surrounding blanks */
	bool is_fullwidth; /* the ':' before it was U+FF1A */
};

struct metric_row {
	struct metric_cell cells[LIMIT_COLUMNS];
	unsigned int n;
	unsigned int n_lines; /* lines taken from the text */
	bool is_cut;          /* more cells than LIMIT_COLUMNS */
	bool is_unclosed;     /* a quote that is never closed: taken literally */
};

/*
 * Take one row from @text (at least one line) into @row. With @has_lines, a quoted cell may
 * span lines, and a row with colons its wrapped lines. Cells with escaped quotes are copied to
 * @scratch, the others point into the text. False: end of @text.
 */
bool metric_row_take(struct str *text, enum metric_separator separator, bool has_lines,
		     struct arena *scratch, struct metric_row *row);

/* Fast check before a line is split: most lines are no row with colons. */
bool metric_cell_may_be_colon(struct str line);
/* Is @cell a number? "12", "-0.5", "1e-3", "12%". @ret_* may be NULL. */
bool metric_cell_number(struct str cell, double *ret, bool *ret_is_integer, bool *ret_is_percent);
/* Can @cell be a function name? "packet_rcv", "std::sort<int*>", "a.b", "foo(int, char)". */
bool metric_cell_is_name(struct str cell);

#endif
