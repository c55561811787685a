/* SPDX-License-Identifier: MIT */
/* diff_counters.h - two tables of counters next to each other, for `assay diff` */
#ifndef CMDS_DIFF_COUNTERS_H
#define CMDS_DIFF_COUNTERS_H

#include <stdbool.h>

struct capture;
struct show;

/* Print the counters that both @a and @b have. Returns whether a counter differs. */
bool diff_counters(struct show *s, const struct capture *a, const struct capture *b);

#endif
