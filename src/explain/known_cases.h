/* SPDX-License-Identifier: MIT */
/*
 * known_cases.h - limit the certainty of a rule by how often the rule was right
 *
 * Captures with known causes show how often the findings of a rule named the cause. known_cases.tsv
 * has the counts, written by tools/sureness.py --table. The certainty of a rule that infers a cause
 * is at most KNOWN_CASES_CAP until enough cases show that the rule is right. Three groups need no
 * cases: rules that only state the input (is_measured in struct rule), rules about the recording,
 * and findings with FINDING_CERTAIN. A rule uses FINDING_CERTAIN only where the data allows no
 * other reading.
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
 * Minimum number of cases. Fewer cases prove little: 8 of 8 right means 68 to 100 % (95 %, Wilson).
 */
#define KNOWN_CASES_MIN 8u
/*
 * Minimum percentage of cases in which the rule named the cause. It is low because a finding that
 * names something else can also be true.
 */
#define KNOWN_CASES_RIGHT_PCT 50u

/* Do @right correct results in @cases cases allow more than KNOWN_CASES_CAP? */
bool known_cases_suffice(uint32_t cases, uint32_t right);
/* Largest certainty that findings of @rule may have, in percent. Cost: O(rows of the table). */
unsigned int known_cases_limit(const struct rule *rule);
/*
 * Limit the certainty of all findings. Call it after sorting: the order uses the certainty before
 * the limit.
 */
void known_cases_cap(struct findings *f);

#endif
