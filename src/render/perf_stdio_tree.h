/* SPDX-License-Identifier: MIT */
/* perf_stdio_tree.h - drawing of call trees; private to perf_stdio*.c */
#ifndef RENDER_PERF_STDIO_TREE_H
#define RENDER_PERF_STDIO_TREE_H

#include "base/vec.h"
#include "core/ids.h"

struct out;
struct profile;
struct symbols;
struct tree;

/*
 * A frame in preorder. A frame that is not a branch continues the line above it: everything
 * that reaches its caller (or the row) goes through it.
 */
struct stdio_node {
	sym_id sym;
	double pct;
	uint32_t end; /* node after the subtree */
	bool is_branch;
	bool is_other; /* "[...]" */
};

struct stdio_tree {
	VEC(struct stdio_node) nodes;
	VEC(uint8_t) bars; /* by depth: a '|' is drawn there */
};

void stdio_tree_fini(struct stdio_tree *t);
/* Take the nodes [first, end) as printed. */
void stdio_tree_printed(struct stdio_tree *t, const struct profile *p, uint32_t first,
			uint32_t end);
/* Take @from, with @row weight as 100 %. Frames on all paths become lines instead of branches. */
void stdio_tree_counted(struct stdio_tree *t, const struct tree *from, uint64_t row);
/* Draw the tree and an empty line; nothing if it is empty. @gap: "" or " ". */
void stdio_tree_draw(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
		     const char *gap);

#endif
