/* SPDX-License-Identifier: MIT */
/* compete.h - findings about the same cost: keep one, make the others its evidence */
#ifndef EXPLAIN_COMPETE_H
#define EXPLAIN_COMPETE_H

struct facts;
struct findings;

/*
 * If an earlier finding explains nearly all of the cost of a later one, mark the later finding as
 * evidence of the earlier one (overruled_by, is_evidence). A general finding (is_general) yields to
 * a later specific one instead. Before the call @f must be sorted; after it, the caller must sort
 * @f again. Two findings are compared by their functions (profiles), by the called function
 * (traces), or by the cited lines (counters, stacks in logs). A later finding stays if it is more
 * severe, or if it names a caller and the earlier one names none. Cost: the square of the first
 * COMPETE_MAX findings.
 */
void compete_findings(const struct facts *facts, struct findings *f);

#endif
