/* SPDX-License-Identifier: MIT */
/*
 * call_tree.h - calls of a trace as a tree with one node per path
 *
 * All calls of a function on the same path are one node, so that a thousand equal calls are one
 * line. Nodes are in the order of their first call, below their caller. `expand` splits a node
 * into its calls.
 *
 * Cost: O(calls). Temporary memory: 16 bytes a call, 3 a symbol, a hash slot a node; result: 96
 * bytes a node.
 */
#ifndef ANALYSES_CALL_TREE_H
#define ANALYSES_CALL_TREE_H

#include "analyses/calls/hidden_calls.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

#define CALL_TREE_NODES_MAX (UINT32_C(1) << 20)

struct call_node {
	sym_id sym;
	uint32_t parent; /* INDEX_NONE: at the top */
	uint32_t first;  /* first child */
	uint32_t last;   /* last child */
	uint32_t next;   /* next sibling */
	uint32_t line;   /* of the first call */
	uint16_t depth;
	uint64_t calls;
	uint64_t timed;
	uint64_t total_ns;        /* of timed calls */
	uint64_t below;           /* calls in their subtrees, themselves included */
	struct hidden_sum hidden; /* calls below them that the trace does not contain */
	uint64_t self_ns;
	uint64_t max_ns;
};

struct call_tree {
	VEC(struct call_node) nodes;
	uint32_t first;    /* first top-level node; INDEX_NONE: no match */
	uint64_t not_kept; /* omitted calls: past CALL_TREE_NODES_MAX nodes, or below `levels` */
};

struct call_tree_options {
	struct str under; /* pattern: start at the topmost matching calls; STR_NONE: at all roots */
	struct str
		expand;  /* pattern: each matching call is a node; or "L118": calls at that line */
	struct str only; /* pattern: only matching calls, nested; STR_NONE: all */
	uint32_t levels; /* 0: all */
	const struct hidden_calls *hidden; /* hidden calls of the capture; NULL: none */
};

/* Build the tree. Patterns as in calls_total_of(). Owner of @ret: caller, call_tree_fini(). */
void call_tree_build(const struct capture *capture, const struct call_tree_options *options,
		     struct call_tree *ret);
void call_tree_fini(struct call_tree *t);

/* The next node in a top-down walk; INDEX_NONE at the end. */
uint32_t call_tree_next(const struct call_tree *t, uint32_t node);

#endif
