/* SPDX-License-Identifier: MIT */
/*
 * claim_bless.h - write claims that are true for a recording
 *
 * They are most likely also true for the next recording of the same program. The limit of a claim
 * is a sum that is rounded up. It consists of the figure, of twice the distance from the figure to
 * the upper end of its interval, and of twice the usual spread of runs (COMPARE_RUN_SPREAD). The
 * distance counts twice, because the next recording has a random error, too.
 */
#ifndef EXPLAIN_CLAIM_BLESS_H
#define EXPLAIN_CLAIM_BLESS_H

#include <stddef.h>

struct claim_options;
struct facts;
struct out;

/*
 * Append claims to @out, each below a comment with its figure. The claims limit the self shares of
 * the heaviest functions and the medians of traced calls. If no finding has severity error, a claim
 * states that. Returns the number of claims. Cost: as claim_judge() for these claims.
 */
size_t claim_bless_write(struct facts *f, const struct claim_options *options, struct out *out);

#endif
