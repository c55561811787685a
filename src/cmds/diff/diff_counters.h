/* SPDX-License-Identifier: MIT */
/* diff_counters.h - two tables of counters side by side, for `assay diff` */
#ifndef CMDS_DIFF_COUNTERS_H
#define CMDS_DIFF_COUNTERS_H

#include <stdbool.h>

struct capture;
struct show;

/* Show the counters that occur in both @a and @b. Returns whether any of them differs. */
bool diff_counters(struct show *s, const struct capture *a, const struct capture *b);

#endif
