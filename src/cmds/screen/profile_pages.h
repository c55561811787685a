/* SPDX-License-Identifier: MIT */
/*
 * profile_pages.h - pages of a profile: its table, the callers and callees of a function, its tree
 *
 * Each function writes a page into a view, and appends to pages.rows what its rows stand for, so
 * that a key can act on the row under the cursor. They change nothing else.
 */
#ifndef CMDS_PROFILE_PAGES_H
#define CMDS_PROFILE_PAGES_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct top_spec;
struct tree;
struct capture;
struct session;
struct view;

#define PAGE_ROWS_MAX 2000u /* maximum number of rows of a table or tree */

/* What a row of a page stands for. */
struct page_row {
	struct str text; /* its name, from the last column; in pages.arena */
	uint32_t tid;
	sym_id sym;    /* SYM_ID_NONE: no function */
	str_id dso;    /* STR_ID_NONE: the row is not of one file */
	str_id comm;   /* STR_ID_NONE: the row is not of one command */
	uint32_t node; /* number of its node in a tree; INDEX_NONE: none */
	size_t line;   /* its line, counted from the start of the body */
};

struct pages {
	struct session *session;
	const struct capture *capture;
	unsigned int width; /* of the terminal; 0: unlimited */
	struct arena arena;
	VEC(struct page_row) rows;
	uint64_t n_hidden; /* number of rows that were not written because of the limit */
};

struct page_table {
	const struct top_spec *spec; /* the last key names the row */
	bool is_by_children;         /* the bars show shares with callees */
	struct str filter;           /* only rows with this in a name; case is ignored */
	uint64_t max;                /* maximum number of rows; 0: PAGE_ROWS_MAX */
};

void pages_clear(struct pages *p);
void pages_fini(struct pages *p);
/* Write the table. The number of columns depends on the width. */
void pages_table(struct pages *p, struct view *v, const struct page_table *t);
/* Write the callers and callees of @sym. */
void pages_callers(struct pages *p, struct view *v, sym_id sym);
/*
 * Write the nodes of @tree that are in view: @is_open tells for each node whether its children
 * are. NULL: all.
 */
void pages_tree(struct pages *p, struct view *v, const struct tree *tree, const uint8_t *is_open);
/* The row at @line of the body; NULL: none is there. */
const struct page_row *pages_row_at(const struct pages *p, size_t line);

#endif
