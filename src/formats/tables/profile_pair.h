/* SPDX-License-Identifier: MIT */
/*
 * profile_pair.h - two profiles printed side by side in one table
 *
 * Each becomes its own capture, with "before" or "after" in its note "side", so that all
 * analyses of profiles apply.
 */
#ifndef FORMATS_PROFILE_PAIR_H
#define FORMATS_PROFILE_PAIR_H

#include "core/ids.h"
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
/* Add a share to one side; percent, >= 0. */
void profile_pair_add(struct capture *c, sym_id sym, str_id dso, char level, double self_pct,
		      double children_pct, unsigned int has, uint32_t line);
/* Set the self or children share of row @at; @line is that of the self share. */
void profile_pair_set(struct capture *c, uint32_t at, bool is_self, double pct, uint32_t line);
/*
 * Add a separate chain: @n functions, each called by the next, with the share of the first.
 * False: LIMIT_ROWS is reached.
 */
bool profile_pair_trace(struct capture *c, const sym_id *syms, size_t n, double pct, uint32_t line);

#endif
