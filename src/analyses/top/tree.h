/* SPDX-License-Identifier: MIT */
/*
 * tree.h - call trees, from callers to callees or from callees to callers
 *
 * Trees are arrays in preorder: a node's first child is the next element, and its subtree has the
 * elements up to `end` - 1. Children are sorted heaviest first, then by name. Subtrees that are
 * lighter than a limit, or too deep, are hidden: their weight is added to `hidden` of their parent.
 *
 * TREE_CALLEES goes from callers to callees (perf report -g caller), TREE_CALLERS from a function
 * to its callers (perf report -g callee).
 *
 * A tree is built from the distinct stacks, level by level. Memory: O(distinct stacks + nodes of
 * the tree).
 */
#ifndef ANALYSES_TREE_H
#define ANALYSES_TREE_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

struct capture;

enum tree_direction { TREE_CALLEES, TREE_CALLERS };

struct tree_spec {
	enum tree_direction direction;
	/*
	 * the function at which the tree starts. If it is recursive, TREE_CALLEES starts at its
	 * outermost occurrence and TREE_CALLERS at its innermost one, so that each sample counts
	 * once. SYM_ID_NONE: TREE_CALLEES starts at the outermost frames, and TREE_CALLERS has a
	 * root for each sampled function
	 */
	sym_id start;
	str_id comm; /* only samples of this command; STR_ID_NONE: all */
	/*
	 * TREE_CALLEES: if a function calls itself, its successive frames become one node. The node
	 * has the callees of all these frames, and the weight of the outermost one
	 */
	bool folds_recursion;
	/* TREE_CALLERS with `start`: use only samples in `start` itself, without callees */
	bool self_only;
	/* hide nodes lighter than this percentage of the profile's total; 0: show all */
	double percent_limit;
	uint32_t max_depth; /* maximum number of levels; 0: LIMIT_STACK_DEPTH */
	/* maximum number of nodes; 0: a million. Further nodes are hidden, see tree.is_cut */
	uint32_t max_nodes;
};

struct tree_node {
	uint64_t weight; /* weight of the node with its whole subtree */
	/*
	 * TREE_CALLEES: self weight of the function. TREE_CALLERS: weight of the stacks whose
	 * outermost frame is this node
	 */
	uint64_t self;
	uint64_t hidden; /* weight of children that a limit keeps out of the tree */
	sym_id sym;
	uint32_t parent; /* INDEX_NONE: the node is a root */
	uint32_t end;
	/* input line of the node in a printed tree; 0: the tree is made from samples */
	uint32_t line;
	uint32_t hidden_nodes;
	uint16_t depth; /* number of ancestors; 0: the node is a root */
	bool is_other;  /* the node stands for perf's "[...]": branches that perf omitted */
};

struct tree {
	VEC(struct tree_node) nodes;
	uint64_t total; /* weight of the whole profile, which is 100 % */
	enum weight_unit unit;
	uint8_t decimals;
	/* of a printed tree: rounding error of a node's share in percentage points; else 0 */
	double node_err;
	bool is_printed; /* the tree is a copy of a printed tree, in the printed order */
	/* CHAIN_CALLER: children are callees; CHAIN_CALLEE: children are callers */
	enum chain_order order;
	bool is_cut; /* nodes were hidden by max_nodes or max_depth */
};

/*
 * Build a tree from the samples of @c. Errors: ERR_USAGE with a message if @c has no samples. Owner
 * of @ret: caller, tree_fini(); zeroed on error.
 */
MUST_CHECK int tree_build(const struct capture *c, const struct tree_spec *spec, struct tree *ret,
			  struct error *err);
/*
 * Copy the tree that the report prints below row number @row. Its direction and hidden branches are
 * those of the report. Errors: ERR_NOTFOUND if the row has no tree.
 */
MUST_CHECK int tree_of_row(const struct capture *c, uint32_t row, double percent_limit,
			   struct tree *ret, struct error *err);
/*
 * Copy the printed trees of callees that are no part of another one (outer_trees.h), heaviest
 * first. Errors: ERR_NOTFOUND if there is no such tree.
 */
MUST_CHECK int tree_of_outer(const struct capture *c, double percent_limit, struct tree *ret,
			     struct error *err);
void tree_fini(struct tree *t);

/* @weight in percent of the tree's total. */
double tree_pct(const struct tree *t, uint64_t weight);

#endif
