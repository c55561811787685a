/* SPDX-License-Identifier: MIT */
/*
 * outer_trees.h - the printed call trees that are no part of another printed tree
 *
 * A report with --children prints a tree of callees below each function. The tree of main() then
 * contains those of the functions that it calls. Only the outer trees show each cost once, and only
 * as far as the text shows which function calls which: two outer trees may still overlap.
 */
#ifndef ANALYSES_OUTER_TREES_H
#define ANALYSES_OUTER_TREES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

struct outer_tree {
	uint32_t row;    /* index in profile.table.rows */
	uint32_t node;   /* index in profile.table.nodes of the tree's root */
	uint64_t weight; /* weight of the row with callees */
};

struct outer_trees {
	VEC(struct outer_tree) rows; /* heaviest first */
	/*
	 * the text does not show whether branches are callees or callers. They are callees if the
	 * report has perf's default order
	 */
	bool is_assumed;
};

/*
 * Find the outer trees of callees. There are none if the trees show callers, and none below a row
 * without a share with callees. Owner of @ret: caller, outer_trees_fini(). Cost: O(nodes +
 * symbols).
 */
void outer_trees_find(const struct capture *c, struct outer_trees *ret);
void outer_trees_fini(struct outer_trees *t);

#endif
