/* SPDX-License-Identifier: MIT */
/*
 * call_tree.h - calls of a trace as a tree with one node per path
 *
 * All calls of a function with the same chain of callers share a node, so that a thousand equal
 * calls are one line. A node's children are its callees, in the order of their first call. With the
 * option `expand`, each call of a selected function gets a node of its own.
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
	uint32_t parent; /* INDEX_NONE: top-level node */
	uint32_t first;  /* first child of the node */
	uint32_t last;   /* last child of the node */
	uint32_t next;   /* next sibling of the node, in the order of first calls */
	uint32_t line;   /* line of the first call in the input */
	uint16_t depth;
	uint64_t calls;
	uint64_t timed;
	uint64_t total_ns; /* sum of the durations of the timed calls */
	/* number of calls in the subtrees of the timed calls, including the timed calls */
	uint64_t below;
	/* estimated number of callees that a depth limit kept out of the trace */
	struct hidden_sum hidden;
	uint64_t self_ns;
	uint64_t max_ns;
};

struct call_tree {
	VEC(struct call_node) nodes;
	uint32_t first; /* first top-level node; INDEX_NONE: no call has a node */
	/*
	 * number of calls without a node: past CALL_TREE_NODES_MAX nodes, or deeper than `levels`
	 */
	uint64_t not_kept;
};

struct call_tree_options {
	/*
	 * pattern for functions: the outermost calls of matching functions become top-level nodes;
	 * STR_NONE: all outermost calls become top-level nodes
	 */
	struct str under;
	/*
	 * pattern for functions: each call of a matching function gets a node of its own. Or a line
	 * of the input, "L118": only the calls at that line get one
	 */
	struct str expand;
	/*
	 * pattern for functions: omit calls of other functions, but keep their callees; STR_NONE:
	 * show all
	 */
	struct str only;
	uint32_t levels; /* maximum number of levels of the tree; 0: no limit */
	/* estimates of the calls that a depth limit hides; NULL: none */
	const struct hidden_calls *hidden;
};

/*
 * Build the tree. Patterns in @options have the syntax of calls_matches(): "_raw_*|*
 * [nf_conntrack]". Owner of @ret: caller, call_tree_fini().
 */
void call_tree_build(const struct capture *capture, const struct call_tree_options *options,
		     struct call_tree *ret);
void call_tree_fini(struct call_tree *t);

/* The node after @node in preorder; INDEX_NONE at the end. */
uint32_t call_tree_next(const struct call_tree *t, uint32_t node);

#endif
