/* SPDX-License-Identifier: MIT */
/*
 * perf_chains.h - properties of all call trees of a table
 *
 * Are the percentages of the trees relative to the total or to the parent? Do chains start at
 * the sampled function or at the outermost one? All trees of a table decide both.
 */
#ifndef FORMATS_PERF_CHAINS_H
#define FORMATS_PERF_CHAINS_H

struct capture;

/*
 * Complete the nodes of the capture's table. Names (string ids in node.sym) become symbols: that
 * of the tree's row if it has this name, else that of the only symbol of the rows with this name,
 * else a symbol without module. Weights become absolute, and a line without a number gets that of
 * its parent. Sets `end`, and order, style, limit_pct and is_relative_assumed of
 * the table. Cost: linear in rows and nodes.
 */
void perf_chains_finish(struct capture *c);

#endif
