/* SPDX-License-Identifier: MIT */
/*
 * profile_pair.h - two profiles printed side by side in one table
 *
 * Each profile becomes a capture with the note "side", which is "before" or "after". So all
 * analyses of profiles can be used for both.
 */
#ifndef FORMATS_TABLES_PROFILE_PAIR_H
#define FORMATS_TABLES_PROFILE_PAIR_H

#include "formats/format.h"

struct capture;
struct dossier;

struct profile_pair {
	struct capture *before;
	struct capture *after;
};

/* Create both captures. Their weights are percentages with two decimals. */
void profile_pair_begin(struct profile_pair *p, const struct format *f, const struct region *in,
			struct dossier *d);

#endif
