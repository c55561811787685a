/* SPDX-License-Identifier: MIT */
/*
 * known_cases.h - limit the certainty of a rule by how often the rule was right
 *
 * tools/sureness.py --table reads captures with known causes, and counts how often the findings of
 * a rule named the cause. It writes these counts to known_cases.tsv. A rule that infers a cause has
 * at most the certainty KNOWN_CASES_CAP until enough cases show that it is right.
 *
 * Three kinds of findings have no limit: findings of rules that only state figures of the input
 * (is_measured in struct rule), findings about the recording, and findings with FINDING_CERTAIN. A
 * rule uses FINDING_CERTAIN only if the data has no other explanation.
 */
#ifndef EXPLAIN_KNOWN_CASES_H
#define EXPLAIN_KNOWN_CASES_H

#include <stdbool.h>
#include <stdint.h>

struct findings;
struct rule;

/* Largest certainty of a rule without enough cases, percent. */
#define KNOWN_CASES_CAP 75u
/*
 * Minimum number of cases. Fewer cases prove little: even if 8 of 8 are right, the true share is 68
 * to 100 % (95 %, Wilson).
 */
#define KNOWN_CASES_MIN 8u
/*
 * Minimum share of cases, in percent, in which the rule named the cause. It is low, because a
 * finding about another problem of the capture can also be true.
 */
#define KNOWN_CASES_RIGHT_PCT 50u

/* Whether a rule that was right in @right of @cases may have a certainty above KNOWN_CASES_CAP. */
bool known_cases_suffice(uint32_t cases, uint32_t right);
/*
 * Limit the certainty of all findings. Call this after sorting, because findings are sorted by the
 * unlimited certainty.
 */
void known_cases_cap(struct findings *f);

#endif
