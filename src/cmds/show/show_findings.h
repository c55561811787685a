/* SPDX-License-Identifier: MIT */
/*
 * show_findings.h - findings as parts of a view, for `explain` and the front page
 */
#ifndef CMDS_SHOW_FINDINGS_H
#define CMDS_SHOW_FINDINGS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct finding;
struct findings;
struct quality;
struct quality_reason;
struct show;

/*
 * Write the part `quality`: the worst verdict on the data of all captures, and the reasons for each
 * verdict.
 */
void show_findings_quality(struct show *s);
/*
 * Whether the text is an excerpt, as a clause: "an excerpt: the top 10 of 48 nodes", "cut at line
 * 29". Empty: it is whole, or unknown. In show.scratch.
 */
struct str show_quality_extent(struct show *s, const struct quality *q);
/* Is the reason about the size of the text, so that show_quality_extent() has it? */
bool show_quality_is_extent(const struct quality_reason *r);
/*
 * The conclusions that the data does not support: "not for: durations, shares". Empty: no such
 * limit.
 */
struct str show_quality_limits(struct show *s, const struct quality *q);
/* The verdict of @q and its limits: "usable, but not for: outermost callers". */
struct str show_quality_trust(struct show *s, const struct quality *q);
/*
 * Write the part `findings`: at most @max findings (0: all). If s->is_brief is set, text has one or
 * two lines for each finding.
 */
void show_findings(struct show *s, const struct findings *f, size_t max);
/* Whether the input has two captures, and both have the finding @f. */
bool show_finding_is_of_both(const struct show *s, const struct finding *f);
/*
 * The quoted label of the table of counters or metrics that @f is about: "'after'". Empty if there
 * is only one such table, if the table has no label, or if the finding itself names the table.
 * Valid as long as @s.
 */
struct str show_finding_label(struct show *s, const struct finding *f);
/*
 * Write the part `not_read`: parts of the inputs that were not read although their format is known.
 */
void show_unread(struct show *s);
/* For text: a line about the checks that could not judge, with the most frequent reason. */
void show_not_judged(struct show *s, const struct findings *f);
/*
 * Whether @f has no finding, and so few checks ran that this means little. If so, print a heading
 * about this in text. A profile has many checks, a table of sockets only two.
 */
bool show_few_checks(struct show *s, const struct findings *f);
/*
 * For data without findings: a sentence such as "88.2 % of the profile is below renderPage". It
 * names the innermost function of the program that has, with its callees, more than half of the
 * first profile. Empty: there is no such function. Valid as long as @s.
 */
struct str show_unexplained(struct show *s, const struct findings *f);
/* For data without findings: a sentence that explains what this means. Valid as long as @s. */
struct str show_no_finding(struct show *s, const struct findings *f);
/* Write the parts `clean` and `not_assessed`: the checks without a finding. */
void show_checks(struct show *s, const struct findings *f);

#endif
