/* SPDX-License-Identifier: MIT */
/* text_view.h - data and functions that the files of the text view share */
#ifndef RENDER_TEXT_VIEW_H
#define RENDER_TEXT_VIEW_H

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "render/view.h"

/* maximum width of sentences in columns, even on a wider terminal */
#define TEXT_PROSE_COLUMNS 100u
/* width of the left margin, which has the titles of fields and sentences */
#define TEXT_TITLE_COLUMNS 12u
/* width of the left margin of a list, which has the marks of its items */
#define TEXT_MARK_COLUMNS 3u
#define TEXT_WINDOW_ROWS  8192u

enum text_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED, STYLE_GREEN };

/* A line of a block. */
struct text_line {
	size_t from; /* offset of the line's start in text_block.text */
	size_t to;
	size_t width; /* width of the line in columns */
};

/* The printed lines of a table that is placed next to another table. */
struct text_block {
	struct out text;
	VEC(struct text_line) lines;
	size_t width;
};

/* A cell of a buffered row. Its text is owned by the table's arena. */
struct text_cell {
	struct str text;
	/* share that colours the cell (COLUMN_HEAT) or is drawn as a bar (COLUMN_BAR); NaN: none */
	double share;
	uint64_t ns;
	uint32_t width;
	uint8_t kind;
};

struct text_row {
	uint32_t depth;
};

/* A cell of the previous line, in a table that is printed without buffering. */
struct text_printed {
	struct cell cell;
	/*
	 * offset in text_table.line of the cell's text; SIZE_MAX: the line does not contain the
	 * cell's text unchanged, for example because it was truncated
	 */
	size_t from;
	size_t to;
	size_t owed; /* number of blanks to print between this cell and the next text */
};

struct text_table {
	const struct view_table *def;
	struct arena arena;
	struct out text; /* scratch memory for the text of a cell */
	/* cells of all buffered rows; columns without a title have no cells */
	VEC(struct text_cell) cells;
	/* indexed by column: index of the column's cell within a row of `cells` */
	unsigned int slot[VIEW_COLUMNS_MAX];
	unsigned int n_slots;
	VEC(struct text_row) rows;
	size_t widths[VIEW_COLUMNS_MAX];
	bool is_shown[VIEW_COLUMNS_MAX];
	/*
	 * indexed by column: the column has values, but is omitted because the terminal is too
	 * narrow
	 */
	bool is_hidden[VIEW_COLUMNS_MAX];
	bool is_right[VIEW_COLUMNS_MAX];
	bool is_laid_out;
	bool is_tree;
	/* ns_unit[slot[c]]: unit of the durations in column c; 9: ns, 6: us, 3: ms, 0: s */
	uint8_t ns_unit[VIEW_COLUMNS_MAX];
	double max_share;
	/* the previous line, if rows are printed without buffering */
	struct out line;
	struct text_printed printed[VIEW_COLUMNS_MAX];
	unsigned int n_printed;
};

struct text_view {
	struct view base;
	struct text_options opt;
	struct text_table table;
	/* tables to be placed side by side; printed by view_side_by_side_end() */
	VEC(struct text_block) blocks;
	unsigned int side_by_side;
	/* something was already printed; text_view_gap() then prints a blank line */
	bool has_output;
	bool is_gap; /* the last printed line is blank */
	/* the last printed line is a heading; no blank line is needed between it and a table */
	bool is_headed;
};

/* Append @s. If colour is on, escape sequences for @style are added. */
void text_view_styled(const struct text_view *t, struct out *out, enum text_style style,
		      struct str s);
void text_view_gap(struct text_view *t);
/* Append the text of a cell. @ns_unit: unit of durations; 9: ns, 6: us, 3: ms, 0: s. */
void text_cell_text(const struct text_view *t, struct out *out, struct cell c,
		    unsigned int ns_unit);
/* The unit in which a duration is printed best; 9: ns, 6: us, 3: ms, 0: s. */
unsigned int text_view_ns_unit(uint64_t ns);
const char *text_view_ns_unit_name(const struct text_view *t, unsigned int unit);

void text_table_begin(struct text_view *t, const struct view_table *def);
void text_table_row(struct text_view *t, const struct cell *cells, unsigned int depth);
/*
 * Print the buffered rows of the table. Appends to @hidden the titles of the columns that were
 * omitted because the terminal is too narrow. It does so only for a main table, and not for columns
 * of bars.
 */
void text_table_end(struct text_view *t, struct out *hidden);
/* Print the stored tables (blocks): side by side if they fit, otherwise one below the other. */
void text_blocks_flush(struct text_view *t);

#define TEXT_INDENT    2u
#define TEXT_GAP       2u
#define TEXT_BAR_CELLS 10u
bool text_cell_is_number(uint8_t kind);
struct text_cell *text_table_cell(struct text_table *tab, size_t row, unsigned int column);
/* Convert all buffered durations to text, in the units text_table.ns_unit. */
void text_table_times(struct text_view *t);
void text_table_tree(struct text_view *t, unsigned int column);
/* Append the title of a column. If it has durations, their unit is added. */
void text_table_title(struct text_view *t, unsigned int column, struct out *out);
/*
 * Take the first line from a title that is printed on several lines: remove it from @title and
 * return it. It has as many words as fit into @width, but at least one.
 */
struct str text_table_title_part(struct str *title, size_t width);
void text_table_layout(struct text_view *t);

#endif
