/* SPDX-License-Identifier: MIT */
/* compete.h - findings about the same cost: keep one, make the others its evidence */
#ifndef EXPLAIN_COMPETE_H
#define EXPLAIN_COMPETE_H

struct facts;
struct findings;

/*
 * Mark each later finding as evidence of an earlier one that explains nearly all of its cost
 * (overruled_by, is_evidence). @f is sorted; the caller must sort it again. Two findings are
 * compared by their functions (profiles), by the called function (traces), or by the cited lines
 * (counters, stacks in logs). A later finding stays if it is more severe, or if it names a caller
 * and the earlier one names none. Cost: the square of the first COMPETE_MAX findings.
 */
void compete_findings(const struct facts *facts, struct findings *f);

#endif
