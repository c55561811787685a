/* SPDX-License-Identifier: MIT */
/*
 * example_doubt.h - doubt findings whose evidence the text shows as an example
 *
 * Documentation, tests and patches quote dumps and logs. Their findings remain, since a person may
 * paste real evidence there, but as notes that are at most possible, and the claim says why.
 */
#ifndef EXPLAIN_EXAMPLE_DOUBT_H
#define EXPLAIN_EXAMPLE_DOUBT_H

struct facts;
struct findings;

/*
 * Doubt each finding whose evidence lies in lines of dossier_input.examples. If a finding cites a
 * template, doubt all findings of its input: the text is a manual.
 */
void example_doubt(const struct facts *facts, struct findings *f);

#endif
