/* SPDX-License-Identifier: MIT */
/* diff_distributions.h - two distributions side by side */
#ifndef CMDS_DIFF_DISTRIBUTIONS_H
#define CMDS_DIFF_DISTRIBUTIONS_H

#include <stdbool.h>

struct capture;
struct show;

/*
 * Show the percentiles of both captures, and whether they moved. Returns whether one moved.
 */
bool diff_distributions(struct show *s, const struct capture *a, const struct capture *b);

#endif
