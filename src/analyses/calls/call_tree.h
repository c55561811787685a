/* SPDX-License-Identifier: MIT */
/*
 * call_tree.h - the calls of a trace as a tree in which equal paths are one node
 *
 * All calls of a function from the same path are one node, whatever stands
 * between them: a thousand equal calls are one line. Nodes stand in the order
 * of their first call, below their caller. `expand` opens such a line: each call
 * is a node then.
 *
 * Cost: O(calls). Memory while it runs: 12 bytes a call, 2 a symbol; what stays
 * is 88 bytes a node and a hash slot.
 */
#ifndef ANALYSES_CALL_TREE_H
#define ANALYSES_CALL_TREE_H

#include "analyses/calls/hidden_calls.h"

#define CALL_TREE_NODES_MAX (UINT32_C(1) << 20)

struct call_node {
	sym_id sym;
	uint32_t parent; /* INDEX_NONE: at the top */
	uint32_t first;  /* child */
	uint32_t last;   /* child */
	uint32_t next;   /* beside it */
	uint32_t line;   /* of the first call */
	uint16_t depth;
	uint64_t calls;
	uint64_t timed;
	uint64_t total_ns;        /* of the timed ones */
	uint64_t below;           /* calls in the subtrees of those, themselves included */
	struct hidden_sum hidden; /* calls below those that are not in the trace */
	uint64_t self_ns;
	uint64_t max_ns;
};

struct call_tree {
	VEC(struct call_node) nodes;
	uint32_t first;    /* at the top; INDEX_NONE: nothing matched */
	uint64_t not_kept; /* calls past CALL_TREE_NODES_MAX nodes or below `levels` */
};

struct call_tree_options {
	struct str
		under; /* pattern: begin at the topmost calls that match; STR_NONE: at all roots */
	struct str
		expand;  /* pattern: each call that matches is a node; or "L118": those at a line */
	struct str only; /* pattern: calls that match, below each other; STR_NONE: all */
	uint32_t levels; /* 0: all */
	const struct hidden_calls *hidden; /* of the capture; NULL: none */
};

/* Patterns as in calls_total_of(). Owner of @ret: caller, call_tree_fini(). */
void call_tree_build(const struct capture *capture, const struct call_tree_options *options,
		     struct call_tree *ret);
void call_tree_fini(struct call_tree *t);

/* The node behind @node in a walk from the top down; INDEX_NONE at the end. */
uint32_t call_tree_next(const struct call_tree *t, uint32_t node);

#endif
