/* SPDX-License-Identifier: MIT */
/* text_view.h - internals of the text back-end: lines and tables */
#ifndef RENDER_TEXT_VIEW_H
#define RENDER_TEXT_VIEW_H

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "render/view.h"

#define TEXT_PROSE_COLUMNS 100u /* maximum width of sentences, also on wider terminals */
/* width of the left margin, in which the titles of fields and sentences are printed */
#define TEXT_TITLE_COLUMNS 12u
/* width of the left margin, in which the marks of list items are printed */
#define TEXT_MARK_COLUMNS 3u
#define TEXT_WINDOW_ROWS  8192u

enum text_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED, STYLE_GREEN };

/* A line of a block. */
struct text_line {
	size_t from; /* offset of the line, with its escape sequences, in text_block.text */
	size_t to;
	size_t width; /* width of the line in columns */
};

/* A table with a finished layout, to be printed next to another table. */
struct text_block {
	struct out text;
	VEC(struct text_line) lines;
	size_t width;
};

/* A cell of a buffered row. Its text is owned by the table's arena. */
struct text_cell {
	struct str text;
	double share; /* value in a column with COLUMN_HEAT or COLUMN_BAR; NaN: no value */
	uint64_t ns;
	uint32_t width;
	uint8_t kind;
};

struct text_row {
	uint32_t depth;
};

/* A cell of the previously printed line. */
struct text_printed {
	struct cell cell;
	/*
	 * offset of the cell's text in the line; SIZE_MAX: the line does not contain the text
	 * unchanged
	 */
	size_t from;
	size_t to;
	size_t owed; /* number of blanks between this cell and the next text */
};

struct text_table {
	const struct view_table *def;
	struct arena arena;
	struct out text; /* scratch memory for the text of a cell */
	/* cells of the columns that have a title, row by row */
	VEC(struct text_cell) cells;
	/* indexed by column: place of its cell in a row of `cells` */
	unsigned int slot[VIEW_COLUMNS_MAX];
	unsigned int n_slots;
	VEC(struct text_row) rows;
	size_t widths[VIEW_COLUMNS_MAX];
	bool is_shown[VIEW_COLUMNS_MAX];
	/* the column has values, but is left out because the terminal is too narrow */
	bool is_hidden[VIEW_COLUMNS_MAX];
	bool is_right[VIEW_COLUMNS_MAX];
	bool is_laid_out;
	bool is_tree;
	/*
	 * indexed by place in a row of `cells`: durations are printed in units of 10^-x seconds; 9,
	 * 6, 3 or 0
	 */
	uint8_t ns_unit[VIEW_COLUMNS_MAX];
	double max_share;
	/* the previously printed line, if rows are printed without being buffered */
	struct out line;
	struct text_printed printed[VIEW_COLUMNS_MAX];
	unsigned int n_printed;
};

struct text_view {
	struct view base;
	struct text_options opt;
	struct text_table table;
	/* finished tables after view_side_by_side(), to be printed at view_side_by_side_end() */
	VEC(struct text_block) blocks;
	unsigned int side_by_side;
	bool has_output; /* something was printed, so headings need a blank line before them */
	bool is_gap;     /* the last printed line is blank */
	/* the last printed line is a heading: a table follows it without a blank line */
	bool is_headed;
};

/* Append @s; if colour is on, with the escape sequences of @style. */
void text_view_styled(const struct text_view *t, struct out *out, enum text_style style,
		      struct str s);
void text_view_gap(struct text_view *t);
/* Print a cell as text. @ns_unit: unit of a duration: 9 for ns, 6 for us, 3 for ms, 0 for s. */
void text_cell_text(const struct text_view *t, struct out *out, struct cell c,
		    unsigned int ns_unit);
/* The best unit for printing a duration: 9 for ns, 6 for us, 3 for ms, 0 for s. */
unsigned int text_view_ns_unit(uint64_t ns);
const char *text_view_ns_unit_name(const struct text_view *t, unsigned int unit);

void text_table_begin(struct text_view *t, const struct view_table *def);
void text_table_row(struct text_view *t, const struct cell *cells, unsigned int depth);
/*
 * Print the buffered rows of the table. The terminal may be too narrow for some columns of a main
 * table: append their titles to @hidden.
 */
void text_table_end(struct text_view *t, struct out *hidden);
/* Print the stored blocks, side by side if they fit. */
void text_blocks_flush(struct text_view *t);

#define TEXT_INDENT    2u
#define TEXT_GAP       2u
#define TEXT_BAR_CELLS 10u
bool text_cell_is_number(uint8_t kind);
struct text_cell *text_table_cell(struct text_table *tab, size_t row, unsigned int column);
/* Format all buffered durations, in the units of text_table.ns_unit. */
void text_table_times(struct text_view *t);
void text_table_tree(struct text_view *t, unsigned int column);
/* Append the title of a column, with the unit of its durations. */
void text_table_title(struct text_view *t, unsigned int column, struct out *out);
/*
 * Split a title that is printed on several lines: remove its next line from @title and return it.
 * The line has as many words as fit into @width, at least one.
 */
struct str text_table_title_part(struct str *title, size_t width);
void text_table_layout(struct text_view *t);

#endif
