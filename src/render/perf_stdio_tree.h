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
 * A frame of a tree; nodes are in preorder. A frame is a branch, with its own percentage, if its
 * weight is not equal to the weight of its caller. The row of the table counts as the caller of the
 * outermost frames. A frame that is no branch is printed as the next line of its caller.
 */
struct stdio_node {
	sym_id sym;
	double pct;
	uint32_t end; /* index of the first node after this frame's subtree */
	bool is_branch;
	bool is_other; /* perf's "[...]": the sum of frames that perf did not print */
};

struct stdio_tree {
	VEC(struct stdio_node) nodes;
	/* indexed by depth: whether a '|' is drawn in the column of this depth */
	VEC(uint8_t) bars;
};

void stdio_tree_fini(struct stdio_tree *t);
/* Set @t to a printed tree, which has the nodes @first to @end (exclusive) of p->table. */
void stdio_tree_printed(struct stdio_tree *t, const struct profile *p, uint32_t first,
			uint32_t end);
/*
 * Set @t to the nodes of the tree @from. @row: weight of the row, to which the outermost frames are
 * compared.
 */
void stdio_tree_counted(struct stdio_tree *t, const struct tree *from, uint64_t row);
/*
 * Draw the tree and an empty line; if the tree has no nodes, draw nothing. @gap: text between the
 * percentage and the name, "" or " ".
 */
void stdio_tree_draw(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
		     const char *gap);

#endif
