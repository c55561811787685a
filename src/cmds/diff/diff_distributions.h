/* SPDX-License-Identifier: MIT */
/* diff_distributions.h - two distributions next to each other, for `assay diff` */
#ifndef CMDS_DIFF_DISTRIBUTIONS_H
#define CMDS_DIFF_DISTRIBUTIONS_H

#include <stdbool.h>

struct capture;
struct show;

/*
 * Print the percentiles of both captures, and mark the percentiles that changed. Returns whether a
 * percentile changed.
 */
bool diff_distributions(struct show *s, const struct capture *a, const struct capture *b);

#endif
