/* SPDX-License-Identifier: MIT */
/*
 * perf_chains.h - properties that all call trees of a table share
 *
 * There are two such properties. The percentage of a branch is a share of the total or of its
 * parent branch. A tree starts at the sampled function or at the outermost caller. Both properties
 * are inferred from all trees of the table, because a single tree may be ambiguous.
 */
#ifndef FORMATS_PERF_CHAINS_H
#define FORMATS_PERF_CHAINS_H

struct capture;

/*
 * Complete the tree nodes of the table of @c, after all lines were read. Before this call, node.sym
 * is the string id of a name. This call replaces it by a symbol with this name: the symbol of the
 * tree's row if it has the name; otherwise the symbol of the only other row with this name;
 * otherwise a symbol without a module.
 *
 * Node weights become shares of the total. A node without a printed number gets the weight of its
 * parent. Also sets `end` of the nodes, and order, style, limit_pct and is_relative_assumed of the
 * table. Cost: linear in rows and nodes.
 */
void perf_chains_finish(struct capture *c);

#endif
