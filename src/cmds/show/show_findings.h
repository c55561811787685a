/* SPDX-License-Identifier: MIT */
/*
 * show_findings.h - findings as parts of a view, for `explain` and the front page
 */
#ifndef CMDS_SHOW_FINDINGS_H
#define CMDS_SHOW_FINDINGS_H

#include <stddef.h>

struct findings;
struct show;

/* quality{}: the worst verdict of the captures, and the reasons of all. */
void show_findings_quality(struct show *s);
/* findings[], at most @max of them (0: all). With s->is_brief a line or two each. */
void show_findings(struct show *s, const struct findings *f, size_t max);
/* Name parts of the input whose format is known but not read. */
void show_unread(struct show *s);
/* clean[] and not_assessed[]. */
void show_checks(struct show *s, const struct findings *f);

#endif
