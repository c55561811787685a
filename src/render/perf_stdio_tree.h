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
 * A frame; frames are in preorder. A frame is a branch if only a part of the weight of its caller
 * goes through it; the row counts as the caller of the outermost frames. Otherwise the frame is
 * printed as the next line of its caller.
 */
struct stdio_node {
	sym_id sym;
	double pct;
	uint32_t end; /* index of the node after the subtree */
	bool is_branch;
	bool is_other; /* perf's "[...]": the sum of frames that perf did not print */
};

struct stdio_tree {
	VEC(struct stdio_node) nodes;
	VEC(uint8_t) bars; /* indexed by depth: whether a '|' is drawn at this depth */
};

void stdio_tree_fini(struct stdio_tree *t);
/* Set @t to the nodes from @first to @end (exclusive) of the printed table. */
void stdio_tree_printed(struct stdio_tree *t, const struct profile *p, uint32_t first,
			uint32_t end);
/*
 * Set @t to the tree @from. A frame is no branch if it has the weight of its caller, or of the row
 * (@row).
 */
void stdio_tree_counted(struct stdio_tree *t, const struct tree *from, uint64_t row);
/* Draw the tree and an empty line. An empty tree prints nothing. @gap: "" or " ". */
void stdio_tree_draw(struct stdio_tree *t, struct out *o, const struct symbols *symbols,
		     const char *gap);

#endif
