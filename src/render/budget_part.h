/* SPDX-License-Identifier: MIT */
/*
 * budget_part.h - data of a view that prints only the most important items
 *
 * budget_view.c collects all items. budget_choose.c selects the items to keep. budget_write.c
 * writes the kept items. See budget_view.c for the terms item and part.
 */
#ifndef RENDER_BUDGET_PART_H
#define RENDER_BUDGET_PART_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "render/view.h"

struct out;

struct budget_item {
	struct str text; /* text without line end; owned by the arena */
	double worth;
	uint32_t part;
	/*
	 * index in budget_view.items of the item's parent: without its parent, the item cannot be
	 * kept. INDEX_NONE: no parent
	 */
	uint32_t parent;
	/*
	 * index in budget_view.items of the item before it with the same parent: without that item,
	 * this item cannot be kept. INDEX_NONE: this item does not depend on another
	 */
	uint32_t previous;
	bool is_kept;
};

/* A part of the output: one table, or the sentences between two tables. */
struct budget_part {
	struct str title; /* title of the table; empty: none */
	struct str head;  /* column titles; empty: none */
	/*
	 * titles and values of columns that are equal in all rows, such as "Command: sh"; empty:
	 * none
	 */
	struct str constant;
	const char *command;
	/* index in budget_view.sections of the heading that precedes the part; INDEX_NONE: none */
	uint32_t section;
	uint32_t first; /* index in budget_view.items of the part's first item */
	uint32_t n;
	/*
	 * number of rows that are not in `items`, because one of these maximums was reached:
	 * BUDGET_ITEMS in the whole output, BUDGET_TREE_ROWS in a tree or a table with is_whole,
	 * BUDGET_ROWS in any other table
	 */
	uint64_t unseen;
	uint32_t kept;
	bool is_table;
	bool is_whole;
};

struct budget_cell {
	struct str text; /* text of the cell; may be empty */
	double share;    /* value in percent if the cell is a share, otherwise NaN */
};

struct budget_row {
	unsigned int depth;
};

struct budget_view {
	struct view base;
	struct budget_options opt;
	struct arena arena;
	VEC(struct budget_item) items;
	VEC(struct budget_part) parts;
	VEC(struct str) sections; /* texts of the headings */
	double factor;
	uint32_t section;
	/*
	 * index in `items` of the last sentence with a title, such as "Data: good". Sentences
	 * without a title continue that sentence. INDEX_NONE: none
	 */
	uint32_t sentence;
	/*
	 * the last part is a group of sentences, and the next sentence will be added to this part
	 */
	bool is_open;
	/* cells and, below, rows of the current table; emptied at its end */
	VEC(struct budget_cell) cells;
	VEC(struct budget_row) rows;
	uint64_t n_rows;
};

void budget_choose(struct budget_view *b, size_t limit);
/*
 * Write the number of omitted rows and sentences, and the commands that print them. @max: maximum
 * size in bytes, approximately.
 */
void budget_write_footer(const struct budget_view *b, size_t max, struct out *ret);
void budget_write_text(const struct budget_view *b, size_t limit, struct out *ret);
void budget_write_json(const struct budget_view *b, unsigned int tokens);

#endif
