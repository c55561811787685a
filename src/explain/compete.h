/* SPDX-License-Identifier: MIT */
/* compete.h - findings about the same cost: keep one, make the others its evidence */
#ifndef EXPLAIN_COMPETE_H
#define EXPLAIN_COMPETE_H

struct facts;
struct findings;

/*
 * If an earlier finding explains nearly all of the cost of a later one, the later finding becomes
 * evidence of the earlier one (overruled_by, is_evidence). Exception: a general finding (is_general
 * in struct rule) becomes evidence of a later specific one. A later finding stays if it is more
 * severe, or if it is the only one that names a caller.
 *
 * Two findings are compared by:
 *
 *   - their functions, for profiles;
 *   - the called function, for traces;
 *   - the cited lines, for counters and for stacks in logs; also for logs of system calls, if the
 *     rule of one finding explains the rule of the other.
 *
 * The caller must sort @f by importance before the call, and again after it. Cost: the square of
 * the number of findings, at most COMPETE_MAX.
 */
void compete_findings(const struct facts *facts, struct findings *f);

#endif
