/* SPDX-License-Identifier: MIT */
/*
 * perf_stdio_tree.h - the drawing of call trees in perf_stdio.c; not for others
 */
#ifndef RENDER_PERF_STDIO_TREE_H
#define RENDER_PERF_STDIO_TREE_H

#include "analyses/top/tree.h"
#include "base/out.h"

/*
 * A frame in preorder. A frame that is no branch continues the line above it:
 * all that reach its caller (or, first of all, the row) go through it.
 */
struct stdio_node {
	sym_id sym;
	double pct;
	uint32_t end; /* behind the subtree */
	bool is_branch;
	bool is_other; /* "[...]" */
};

struct stdio_tree {
	VEC(struct stdio_node) nodes;
	VEC(uint8_t) bars; /* by depth: a '|' is drawn there */
};

void stdio_tree_fini(struct stdio_tree *t);
/* The nodes [first, end) as they were printed. */
void stdio_tree_printed(struct stdio_tree *t, const struct profile *p, uint32_t first,
			uint32_t end);
/* @from, of which @row weight is the whole: frames that all go through become lines. */
void stdio_tree_counted(struct stdio_tree *t, const struct tree *from, uint64_t row);
/* Draw it, and an empty line behind it; nothing if it is empty. @gap: "" or " ". */
void stdio_tree_draw(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
		     const char *gap);

#endif
