/* SPDX-License-Identifier: MIT */
/*
 * perf_chains.h - properties that all call trees of a table share
 *
 * Are the percentages of the trees relative to the total or to the parent? Do chains start at the
 * sampled function or at the outermost one? Both are decided from all trees of the table, because a
 * single tree is ambiguous.
 */
#ifndef FORMATS_PERF_CHAINS_H
#define FORMATS_PERF_CHAINS_H

struct capture;

/*
 * Complete the nodes of the capture's table. While reading, node.sym holds the string id of a name.
 * Here it becomes a symbol: the symbol of the tree's row if the names are equal, else the symbol of
 * another row with this name if there is only one, else a symbol without module. Weights become
 * absolute; a node without a printed number gets the weight of its parent. Sets `end` of the nodes,
 * and order, style, limit_pct and is_relative_assumed of the table. Cost: linear in rows and nodes.
 */
void perf_chains_finish(struct capture *c);

#endif
