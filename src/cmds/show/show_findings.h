/* SPDX-License-Identifier: MIT */
/*
 * show_findings.h - findings as parts of a view, for `explain` and the front page
 */
#ifndef CMDS_SHOW_FINDINGS_H
#define CMDS_SHOW_FINDINGS_H

#include <stddef.h>

struct findings;
struct show;

/*
 * Write the part `quality`: the worst verdict on the data of any capture, and the reasons for each
 * verdict.
 */
void show_findings_quality(struct show *s);
/*
 * Write the part `findings`: at most @max findings (0: all). If s->is_brief is set, text has one or
 * two lines for each finding.
 */
void show_findings(struct show *s, const struct findings *f, size_t max);
/* Write the part `not_read`: parts of the inputs whose format is known but not read. */
void show_unread(struct show *s);
/* Write the parts `clean` and `not_assessed`: the checks without a finding. */
void show_checks(struct show *s, const struct findings *f);

#endif
