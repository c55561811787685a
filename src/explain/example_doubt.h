/* SPDX-License-Identifier: MIT */
/*
 * example_doubt.h - lower the certainty of findings whose evidence is an example in the text
 *
 * Documentation, tests and patches quote dumps and logs as examples. A person may also paste real
 * evidence in this form, so the findings stay. They become notes that are at most "possible", and
 * the claim gives the reason.
 */
#ifndef EXPLAIN_EXAMPLE_DOUBT_H
#define EXPLAIN_EXAMPLE_DOUBT_H

struct facts;
struct findings;

/*
 * Lower the certainty of each finding whose evidence is in an example (dossier_input.examples).
 * If a finding cites a template (a message with placeholders, "<pid>"), the whole input is a
 * manual: lower all of its findings.
 */
void example_doubt(const struct facts *facts, struct findings *f);

#endif
