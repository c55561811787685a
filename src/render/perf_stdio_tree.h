/* SPDX-License-Identifier: MIT */
/* perf_stdio_tree.h - draw call trees; private to perf_stdio*.c */
#ifndef RENDER_PERF_STDIO_TREE_H
#define RENDER_PERF_STDIO_TREE_H

#include "base/vec.h"
#include "core/ids.h"

struct out;
struct profile;
struct symbols;
struct tree;

/*
 * A frame of a tree; nodes are in preorder. If the weight of a frame differs from its caller's
 * weight, it is a branch, which is printed with its own percentage. Otherwise it is printed on the
 * next line below its caller. The caller of an outermost frame is the row of the table.
 */
struct stdio_node {
	sym_id sym;
	double pct;
	uint32_t end; /* index of the first node after the subtree of this frame */
	bool is_branch;
	bool is_other; /* perf's "[...]", which stands for all frames that perf omitted */
};

struct stdio_tree {
	VEC(struct stdio_node) nodes;
	/* bars[d] is 1 if a '|' is drawn in column number d of the branches, otherwise 0 */
	VEC(uint8_t) bars;
};

void stdio_tree_fini(struct stdio_tree *t);
/* Set @t to a tree of a printed report: the nodes @first to @end - 1 of p->table. */
void stdio_tree_printed(struct stdio_tree *t, const struct profile *p, uint32_t first,
			uint32_t end);
/*
 * Set @t to the tree @from, which was computed from samples. @row: weight of the table row. If the
 * weight of an outermost frame is not @row, the frame is drawn as a branch.
 */
void stdio_tree_counted(struct stdio_tree *t, const struct tree *from, uint64_t row);
/*
 * Draw the tree, then an empty line. An empty tree is not drawn. @gap: text between percentage and
 * name: "" or " ".
 */
void stdio_tree_draw(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
		     const char *gap);

#endif
