/* SPDX-License-Identifier: MIT */
/* diff_counters.h - two tables of counters side by side */
#ifndef CMDS_DIFF_COUNTERS_H
#define CMDS_DIFF_COUNTERS_H

#include <stdbool.h>

struct capture;
struct show;

/* Show the counters that both sides have. Returns whether a counter differs. */
bool diff_counters(struct show *s, const struct capture *a, const struct capture *b);

#endif
