/* SPDX-License-Identifier: MIT */
/*
 * known_cases.h - how sure a rule may be, by how often it was right
 *
 * Captures with known causes show how often the findings of a rule named the cause.
 * known_cases.tsv has the counts; tools/sureness.py --table writes it. A rule that infers a cause
 * says at most KNOWN_CASES_CAP until enough cases show that it is right. Rules that state
 * what the input says (is_measured in struct rule), or are about the recording, need no cases, and
 * neither do certain findings: a rule says FINDING_CERTAIN only where the data leaves no other
 * reading.
 */
#ifndef EXPLAIN_KNOWN_CASES_H
#define EXPLAIN_KNOWN_CASES_H

#include <stdbool.h>
#include <stdint.h>

struct findings;
struct rule;

/* Percent that a rule without enough cases may say. */
#define KNOWN_CASES_CAP 75u
/* Fewer cases prove little: eight right ones of eight are 68 to 100 % (95 %, Wilson). */
#define KNOWN_CASES_MIN 8u
/* Least part of them that it named: a finding that names something else can be true, too. */
#define KNOWN_CASES_RIGHT_PCT 50u

/* Do @right of @cases earn more than KNOWN_CASES_CAP? */
bool known_cases_suffice(uint32_t cases, uint32_t right);
/* The largest certainty that findings of @rule may state, in percent. Cost: the table. */
unsigned int known_cases_limit(const struct rule *rule);
/* Limit all findings. Order of calls: last, because the order of findings must not depend on it. */
void known_cases_cap(struct findings *f);

#endif
