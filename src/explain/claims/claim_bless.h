/* SPDX-License-Identifier: MIT */
/*
 * claim_bless.h - write claims that hold for a recording, and for the next one of the same program
 *
 * A limit is the figure plus twice the distance to its upper limit (chance in this recording, and
 * in the next) plus twice the usual spread of runs (COMPARE_RUN_SPREAD), rounded up.
 */
#ifndef EXPLAIN_CLAIM_BLESS_H
#define EXPLAIN_CLAIM_BLESS_H

#include <stddef.h>

struct claim_options;
struct facts;
struct out;

/*
 * Append claims, one a line below a comment with the figure: self shares of the heaviest functions,
 * medians of traced calls, and that nothing is found where nothing is. Returns the number of
 * claims. Cost: as claim_judge() for them.
 */
size_t claim_bless_write(struct facts *f, const struct claim_options *options, struct out *out);

#endif
