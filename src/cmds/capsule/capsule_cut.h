/* SPDX-License-Identifier: MIT */
/* capsule_cut.h - leave out captures that no finding uses */
#ifndef CMDS_CAPSULE_CUT_H
#define CMDS_CAPSULE_CUT_H

#include "base/str.h"

struct arena;
struct document;
struct dossier;
struct dossier_input;
struct findings;

/* The captures that a capsule keeps. Owner: caller, capsule_plan_fini(). */
struct capsule_plan {
	const struct findings *findings; /* borrowed */
	bool *keeps;                     /* indexed by capture: whether the capsule keeps it */
	size_t n;
};

/* Keep the captures of @d that findings name or cite. Cost: O(captures * evidence * regions). */
void capsule_plan_init(struct capsule_plan *p, const struct findings *f, const struct dossier *d);
void capsule_plan_fini(struct capsule_plan *p);
/* Number of captures that are left out. */
size_t capsule_plan_count(const struct capsule_plan *p);
/* Whether the input @in has captures of which the plan keeps none, and no line that is cited. */
bool capsule_plan_drops(const struct capsule_plan *p, const struct dossier_input *in);
/*
 * The text of @doc, the document of input @in, without the lines of captures that are left out.
 * Lines that a finding cites stay, and so does the text around captures, which explains them. The
 * result is allocated in @arena.
 */
struct str capsule_cut(const struct capsule_plan *p, const struct dossier_input *in,
		       const struct document *doc, struct arena *arena);

#endif
