/* SPDX-License-Identifier: MIT */
/*
 * perf_table_part.h - a table of perf report while it is read
 *
 * perf_table.c takes its lines, perf_table_row.c its rows. Private to perf_table*.c.
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
	struct str text; /* the remaining lines */
	uint32_t n;      /* number of the current line in the region */
	uint32_t n_next; /* number of the next line */
	struct capture *c;
	struct profile *p;
	struct perf_layout layout;
	struct perf_names *names; /* borrowed */
	struct perf_tree tree;
	struct out joined;
	const char *released;
	bool has_layout; /* set at the first row */
	bool was_blank;
	bool after_row;        /* the previous line was a row */
	bool is_drawn;         /* the current tree is drawn with | and -- */
	bool after_tree;       /* the previous line was part of a tree */
	unsigned int n_group;  /* events of --group */
	unsigned int n_values; /* percentages of one event: by titles; without titles 1 or 2 */
	struct {
		uint32_t col;
		str_id name;
	} levels[PERF_HIERARCHY]; /* groups of a hierarchy that contain the current line */
	unsigned int n_levels;
	bool is_tree_lost; /* the parent of further tree lines is unknown */
	struct str last;   /* the previous line */
	struct str before; /* the line before `last` */
	struct perf_table_space spaces[PERF_TABLE_SPACES];
	bool is_open; /* the last row has the mark of an expanded tree */
	uint32_t mark_at;
	uint32_t row_indent; /* of the last row with a level marker; 0: none */
};

uint32_t perf_table_line(const struct perf_table *t);
/* Kind of column @i of percentages. */
enum perf_column_kind perf_table_value_kind(const struct perf_table *t, unsigned int i);
/* Set the columns from the titles or the first row; called once, at the first row. */
void perf_table_settle(struct perf_table *t, const struct perf_row_text *row);
void perf_table_row(struct perf_table *t, struct str line, enum perf_line kind);
/* A tree without its row: make a row of its first frame. */
void perf_table_tree_row(struct perf_table *t, struct str line);

#endif
