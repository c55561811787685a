/* SPDX-License-Identifier: MIT */
/* compete.h - findings about the same cost: one stands, the others become its evidence */
#ifndef EXPLAIN_COMPETE_H
#define EXPLAIN_COMPETE_H

struct facts;
struct findings;

/*
 * For sorted findings: if an earlier one explains nearly all that a later one is about, the
 * later one is marked as its evidence (overruled_by, is_evidence). Shares of a profile are
 * compared by functions, traces by the function called, counters and stacks in logs by lines. A
 * finding that is more severe or names a caller that the earlier one lacks stands. The caller sorts
 * again. Cost: the square of the first COMPETE_MAX findings.
 */
void compete_findings(const struct facts *facts, struct findings *f);

#endif
