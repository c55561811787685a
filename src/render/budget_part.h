/* SPDX-License-Identifier: MIT */
/*
 * budget_part.h - items of a view with a budget: kept, chosen, written
 *
 * budget_view.c collects them, budget_choose.c keeps the most important ones, budget_write.c writes
 * them. Private to budget_*.c.
 */
#ifndef RENDER_BUDGET_PART_H
#define RENDER_BUDGET_PART_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "render/view.h"

struct out;

struct budget_item {
	struct str text; /* without line end, in the arena */
	double worth;
	uint32_t part;
	uint32_t parent;   /* item that must be kept as well, or INDEX_NONE */
	uint32_t previous; /* likewise: the row above, below the same parent */
	bool is_kept;
};

/* A table, or the sentences between two tables. */
struct budget_part {
	struct str title;    /* of a table; empty */
	struct str head;     /* column titles; empty */
	struct str constant; /* cells that are equal in all rows: "Command: sh" */
	const char *command;
	uint32_t section; /* index of its heading, or INDEX_NONE */
	uint32_t first;   /* items */
	uint32_t n;
	uint64_t unseen; /* rows beyond BUDGET_ROWS; of trees and whole tables beyond
			    BUDGET_TREE_ROWS */
	uint32_t kept;
	bool is_table;
	bool is_whole;
};

struct budget_cell {
	struct str text; /* empty: none */
	double share;    /* NaN: none */
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
	VEC(struct str) sections; /* headings */
	double factor;
	uint32_t section;
	uint32_t sentence; /* item that continued sentences belong to, or INDEX_NONE */
	bool is_open;      /* the last part takes sentences */
	/* of the table that is being read */
	VEC(struct budget_cell) cells;
	VEC(struct budget_row) rows;
	uint64_t n_rows;
};

void budget_choose(struct budget_view *b, size_t limit);
/* Count the rest, in at most @max bytes. */
void budget_write_footer(const struct budget_view *b, size_t max, struct out *ret);
void budget_write_text(const struct budget_view *b, size_t limit, struct out *ret);
void budget_write_json(const struct budget_view *b, unsigned int tokens);

#endif
