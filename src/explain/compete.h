/* SPDX-License-Identifier: MIT */
/* compete.h - findings about the same cost: keep one, make the others its evidence */
#ifndef EXPLAIN_COMPETE_H
#define EXPLAIN_COMPETE_H

struct facts;
struct findings;

/*
 * If an earlier finding explains nearly all of the cost of a later one, the later finding becomes
 * evidence of the earlier one (overruled_by, is_evidence). Exception: a general finding (is_general
 * in struct rule) becomes evidence of a later specific one.
 *
 * Two findings are compared by their functions (profiles), by the called function (traces), or by
 * the cited lines (counters; stacks in logs; logs of system calls, if the rule of one finding
 * explains the rule of the other). A later finding stays if it is more severe, or if only it names
 * a caller. Before the call, @f must be sorted by importance; afterwards, the caller must sort it
 * again. Cost: the square of the number of findings, at most COMPETE_MAX.
 */
void compete_findings(const struct facts *facts, struct findings *f);

#endif
