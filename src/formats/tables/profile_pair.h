/* SPDX-License-Identifier: MIT */
/*
 * profile_pair.h - two profiles printed side by side in one table
 *
 * Each becomes its own capture, with "before" or "after" in its note "side", so that all
 * analyses of profiles apply.
 */
#ifndef FORMATS_PROFILE_PAIR_H
#define FORMATS_PROFILE_PAIR_H

#include "formats/format.h"

struct capture;
struct dossier;

struct profile_pair {
	struct capture *before;
	struct capture *after;
};

/* Create both captures; weights are percent with two decimals. */
void profile_pair_begin(struct profile_pair *p, const struct format *f, const struct region *in,
			struct dossier *d);

#endif
