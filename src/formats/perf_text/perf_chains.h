/* SPDX-License-Identifier: MIT */
/*
 * perf_chains.h - infer two properties that all call trees of a table share
 *
 * The first property is the meaning of a branch's percentage: a share of the total, or of the
 * parent branch. The second is where a tree starts: at the sampled function, or at the outermost
 * caller. Both are inferred from all trees of the table, because a single tree may be ambiguous.
 */
#ifndef FORMATS_PERF_CHAINS_H
#define FORMATS_PERF_CHAINS_H

#include "base/str.h"

struct capture;

/* Whether the function @name hardly calls any other function, such as memcpy(). */
bool perf_chains_is_inner(struct str name);
/*
 * Complete the tree nodes of the table of @c, after all lines were read. At the call, node.sym is
 * the string id of a name. It is replaced by a symbol with this name. The first of these symbols
 * that exists is used:
 *
 *     - the symbol of the row that owns the tree, if it has this name
 *     - the symbol of the rows with this name, if they all have the same symbol
 *     - a symbol without a module
 *
 * Node weights become shares of the total. A node without a printed number gets the weight of its
 * parent. Also sets `end` of the nodes, and order, style, limit_pct and is_relative_assumed of the
 * table. Cost: linear in rows and nodes.
 */
void perf_chains_finish(struct capture *c);

#endif
