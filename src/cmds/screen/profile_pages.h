/* SPDX-License-Identifier: MIT */
/*
 * profile_pages.h - pages of a profile: its table, the callers and callees of a function, its tree
 *
 * Each function writes a page into a view. It appends the objects that the rows show to pages.rows,
 * so that a key can act on the row with the cursor. It changes nothing else.
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

/* The object that a row of a page shows: a function, file, command, thread or tree node. */
struct page_row {
	struct str text; /* name of the object, from the last column; in pages.arena */
	uint32_t tid;
	sym_id sym; /* the function of the row; SYM_ID_NONE: the row is not a function */
	/*
	 * the file to which the object belongs; STR_ID_NONE: it does not belong to exactly one file
	 */
	str_id dso;
	/*
	 * the command to which the object belongs; STR_ID_NONE: it does not belong to exactly one
	 * command
	 */
	str_id comm;
	uint32_t node; /* index of the node in a tree; INDEX_NONE: the page has no tree */
	size_t line;   /* line of the row, counted from the start of the body */
};

struct pages {
	struct session *session;
	const struct capture *capture;
	unsigned int width; /* width of the terminal; 0: unlimited */
	struct arena arena;
	VEC(struct page_row) rows;
	uint64_t n_hidden; /* number of rows that were not written because of the limit */
};

struct page_table {
	/* keys of the rows; the last key is the object that a row shows */
	const struct top_spec *spec;
	bool is_by_children; /* the bars show shares with callees */
	struct str filter;   /* show only rows with this text in a name; case is ignored */
	uint64_t max;        /* maximum number of rows; 0: PAGE_ROWS_MAX */
};

void pages_clear(struct pages *p);
void pages_fini(struct pages *p);
/* Write the table. The number of columns depends on the width. */
void pages_table(struct pages *p, struct view *v, const struct page_table *t);
/* Write the callers and callees of @sym. */
void pages_callers(struct pages *p, struct view *v, sym_id sym);
/*
 * Write the nodes of @tree whose ancestors are all open. @is_open: for each node, whether its
 * children are written; NULL: write all nodes.
 */
void pages_tree(struct pages *p, struct view *v, const struct tree *tree, const uint8_t *is_open);
/* The row at @line of the body; NULL: the line is no row. */
const struct page_row *pages_row_at(const struct pages *p, size_t line);

#endif
