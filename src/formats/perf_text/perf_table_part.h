/* SPDX-License-Identifier: MIT */
/*
 * perf_table_part.h - state of a table of perf report while it is read
 *
 * perf_table.c reads the lines of the table, perf_table_row.c its rows.
 */
#ifndef FORMATS_PERF_TEXT_PERF_TABLE_PART_H
#define FORMATS_PERF_TEXT_PERF_TABLE_PART_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_titles.h"
#include "formats/perf_text/perf_tree.h"

struct capture;
struct perf_row_text;
struct profile;
struct region;

#define PERF_TABLE_SPACES 64u

extern const struct diag_kind perf_table_percent;

struct perf_table_space {
	str_id dso;
	enum symbol_space space;
};

struct perf_table {
	const struct region *in;
	struct str text; /* the lines that were not read yet */
	/* number of the current line, counted from 0 in the text of `in` */
	uint32_t n;
	/* number of the line after the current line and its continuation lines */
	uint32_t n_next;
	struct capture *c;
	struct profile *p;
	struct perf_layout layout;
	struct perf_names *names; /* borrowed */
	struct perf_tree tree;
	struct out joined;
	const char *released;
	bool has_layout; /* the columns are decided, because the first row was read */
	bool was_blank;
	bool after_row;  /* the previous line was a row */
	bool is_drawn;   /* the current tree is drawn with | and -- */
	bool after_tree; /* the previous line was part of a tree */
	/* number of events that have percentages in each row (--group); 1: no group */
	unsigned int n_group;
	/* number of percentages of each event: Children and Self, or only one of them */
	unsigned int n_values;
	/* only with --hierarchy: the levels above the current line, outermost first */
	struct {
		uint32_t col;
		str_id name;
	} levels[PERF_HIERARCHY];
	unsigned int n_levels;
	/*
	 * a branch of the current tree could not be read, so the parents of the next lines are
	 * unknown. The remaining lines of this tree are counted but not read
	 */
	bool is_tree_lost;
	struct str last;   /* the previous line */
	struct str before; /* the line before `last` */
	struct perf_table_space spaces[PERF_TABLE_SPACES];
	bool is_open; /* the last row has the mark '-', so perf's TUI showed its tree */
	uint32_t mark_at;
	/* start column of the last row, if the row has a level marker ("[k]"); otherwise 0 */
	uint32_t row_indent;
};

uint32_t perf_table_line(const struct perf_table *t);
/* What the percentage @i of an event means, such as PERF_COL_CHILDREN or PERF_COL_SELF. */
enum perf_column_kind perf_table_value_kind(const struct perf_table *t, unsigned int i);
/*
 * Decide the columns of the table from its titles or, without titles, from @row, its first row.
 * Call this once.
 */
void perf_table_settle(struct perf_table *t, const struct perf_row_text *row);
void perf_table_row(struct perf_table *t, struct str line, enum perf_line kind);
/*
 * Add a row for a tree that belongs to no row. The first frame of the tree, in @line, becomes the
 * row.
 */
void perf_table_tree_row(struct perf_table *t, struct str line);

#endif
