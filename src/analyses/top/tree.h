/* SPDX-License-Identifier: MIT */
/*
 * tree.h - call trees: callers or callees
 *
 * Trees are arrays in preorder: the first child of a node is the next one, a subtree ends at
 * `end`. Children are sorted heaviest first, then by name. Subtrees below the limit are left
 * out and summed in their parent's `hidden`.
 *
 * TREE_CALLEES goes from callers to callees (perf's -g caller), TREE_CALLERS from a function to
 * its callers (perf's -g callee).
 *
 * Trees are built by partitioning the distinct stacks level by level: memory O(distinct stacks
 * + kept nodes).
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
	 * Start at this function: its callers, or its callees. SYM_ID_NONE: CALLEES starts from
	 * the outermost frames, CALLERS has a root per sampled function. A recursive function
	 * starts at its outermost occurrence for CALLEES and its innermost for CALLERS, so that
	 * a sample counts once.
	 */
	sym_id start;
	str_id comm;          /* only this command; STR_ID_NONE: all */
	bool self_only;       /* CALLERS with start: only samples with it as leaf */
	double percent_limit; /* of the profile's total; 0: all */
	uint32_t max_depth;   /* 0: LIMIT_STACK_DEPTH */
	uint32_t max_nodes;   /* 0: a million; further nodes are hidden, see tree.is_cut */
};

struct tree_node {
	uint64_t weight; /* inclusive */
	uint64_t self;   /* CALLEES: leaf here; CALLERS: stacks that end (outermost) here */
	uint64_t hidden; /* weight of hidden children, by any limit */
	sym_id sym;
	uint32_t parent; /* INDEX_NONE: a root */
	uint32_t end;
	uint32_t line; /* line of a printed tree; 0: not printed */
	uint32_t hidden_nodes;
	uint16_t depth; /* 0: a root */
	bool is_other;  /* perf's "[...]" */
};

struct tree {
	VEC(struct tree_node) nodes;
	uint64_t total; /* weight of the whole profile: 100 % */
	enum weight_unit unit;
	uint8_t decimals;
	double node_err;        /* half-width of a node in percent (printed trees), else 0 */
	bool is_printed;        /* copy of a printed tree, in its order */
	enum chain_order order; /* direction of a printed tree */
	bool is_cut;            /* max_nodes or max_depth hid nodes */
};

/*
 * Build from samples. Errors: ERR_USAGE, with a sentence, if the capture has none. Owner of
 * @ret: caller, tree_fini(); zeroed on error.
 */
MUST_CHECK int tree_build(const struct capture *c, const struct tree_spec *spec, struct tree *ret,
			  struct error *err);
/*
 * Copy the tree printed under a row: direction and completeness are the report's. Errors:
 * ERR_NOTFOUND if the row has none.
 */
MUST_CHECK int tree_of_row(const struct capture *c, uint32_t row, double percent_limit,
			   struct tree *ret, struct error *err);
void tree_fini(struct tree *t);

/* Percent of the total. */
double tree_pct(const struct tree *t, uint64_t weight);

#endif
