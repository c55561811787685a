/* SPDX-License-Identifier: MIT */
/*
 * perf_chains.h - what a whole table of call trees says that one line cannot
 *
 * Are the percentages of the trees of the total or of the parent, and do chains
 * start at the sampled function or at the outermost one? Both are decided over
 * all trees of a table.
 */
#ifndef FORMATS_PERF_CHAINS_H
#define FORMATS_PERF_CHAINS_H

#include "core/capture.h"

/*
 * Complete the nodes of the capture's table: names (string ids in node.sym)
 * become symbols, those of the table's own rows where the name says which;
 * weights become absolute, inherited where a line prints none; `end` is set, and
 * order, style, limit_pct and is_relative_assumed of the table.
 * Cost: linear in rows and nodes.
 */
void perf_chains_finish(struct capture *c);

/*
 * What two neighbouring frames of a chain tell about its direction: +1 when
 * @first calls @second as every Linux does (main under _start), -1 when it is
 * called by it, 0 when they tell nothing. @ret_kernel says which half it is about.
 */
int perf_chains_direction(struct str first, struct str second, bool *ret_kernel);

#endif
