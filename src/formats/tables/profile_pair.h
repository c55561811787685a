/* SPDX-License-Identifier: MIT */
/*
 * profile_pair.h - two profiles printed side by side in one table
 *
 * Each becomes a capture of its own, "before" and "after" by their note "side",
 * so that everything that reads profiles reads them.
 */
#ifndef FORMATS_PROFILE_PAIR_H
#define FORMATS_PROFILE_PAIR_H

#include "formats/format.h"

struct profile_pair {
	struct capture *before;
	struct capture *after;
};

/* Both captures, with percent of two decimals as weights. */
void profile_pair_begin(struct profile_pair *p, const struct format *f, const struct region *in,
			struct dossier *d);
/* A share on one side; percent, >= 0. */
void profile_pair_add(struct capture *c, sym_id sym, str_id dso, char level, double self_pct,
		      double children_pct, unsigned int has, uint32_t line);
/* Set the self or children share of row @at; its line is that of the self share. */
void profile_pair_set(struct capture *c, uint32_t at, bool is_self, double pct, uint32_t line);
/*
 * A chain of its own: @n functions, each called by the next, with the share of the first.
 * False: past LIMIT_ROWS.
 */
bool profile_pair_trace(struct capture *c, const sym_id *syms, size_t n, double pct, uint32_t line);

#endif
