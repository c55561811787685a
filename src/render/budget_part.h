/* SPDX-License-Identifier: MIT */
/*
 * budget_part.h - data of a view that prints only the most important items
 *
 * The parts of the view: budget_view.c collects all items, budget_choose.c selects the items to
 * keep, budget_write.c writes these.
 */
#ifndef RENDER_BUDGET_PART_H
#define RENDER_BUDGET_PART_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "render/view.h"

struct out;

struct budget_item {
	struct str text; /* without line end; owned by the arena */
	double worth;
	uint32_t part;
	uint32_t parent; /* item that must be kept if this item is kept; INDEX_NONE: none */
	/*
	 * previous item with the same parent; it must be kept if this item is kept; INDEX_NONE:
	 * none
	 */
	uint32_t previous;
	bool is_kept;
};

/* A table, or the sentences between two tables. */
struct budget_part {
	struct str title; /* title of a table; empty: none */
	struct str head;  /* column titles; empty: none */
	/* columns whose cells are equal in all rows, such as "Command: sh"; empty: none */
	struct str constant;
	const char *command;
	/* index in budget_view.sections of the heading above the part; INDEX_NONE: there is none */
	uint32_t section;
	uint32_t first; /* index of the part's first item */
	uint32_t n;
	/*
	 * number of rows that did not become items, because of a limit: BUDGET_ITEMS in all,
	 * BUDGET_TREE_ROWS in a tree or whole table, BUDGET_ROWS in another table
	 */
	uint64_t unseen;
	uint32_t kept;
	bool is_table;
	bool is_whole;
};

struct budget_cell {
	struct str text; /* empty: an empty cell */
	double share;    /* value of the cell if it is a share, in percent; else NaN */
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
	VEC(struct str) sections; /* text of each heading */
	double factor;
	uint32_t section;
	/*
	 * index in `items` of the last sentence that has a title ("Data: good"). The next sentence
	 * without a title is appended to it. INDEX_NONE: there is none
	 */
	uint32_t sentence;
	/* the last part is a group of sentences, to which the next sentence is added */
	bool is_open;
	/* cells and rows of the current table, until its end */
	VEC(struct budget_cell) cells;
	VEC(struct budget_row) rows;
	uint64_t n_rows;
};

void budget_choose(struct budget_view *b, size_t limit);
/*
 * Write how many rows and sentences were left out, and the commands that show them, in about @max
 * bytes.
 */
void budget_write_footer(const struct budget_view *b, size_t max, struct out *ret);
void budget_write_text(const struct budget_view *b, size_t limit, struct out *ret);
void budget_write_json(const struct budget_view *b, unsigned int tokens);

#endif
