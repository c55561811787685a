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

/*
 * The captures that a capsule keeps. All other captures are left out. Owner: caller,
 * capsule_plan_fini().
 */
struct capsule_plan {
	const struct findings *findings; /* borrowed */
	bool *keeps;                     /* for each capture, whether the capsule keeps it */
	size_t n;
};

/*
 * Plan to keep the captures of @d that a finding is about or cites. Cost: O(captures * evidence *
 * regions).
 */
void capsule_plan_init(struct capsule_plan *p, const struct findings *f, const struct dossier *d);
void capsule_plan_fini(struct capsule_plan *p);
/* Number of captures that are left out. */
size_t capsule_plan_count(const struct capsule_plan *p);
/*
 * Whether the plan leaves out the whole input @in. This is so if the input has captures, but the
 * plan keeps none of them, and no finding cites a line of the input.
 */
bool capsule_plan_drops(const struct capsule_plan *p, const struct dossier_input *in);
/*
 * The text of @doc without the lines of captures that are left out. @doc is the document of the
 * input @in. Lines that a finding cites are kept. Text outside of captures is kept, because it
 * explains them. The result is allocated in @arena.
 */
struct str capsule_cut(const struct capsule_plan *p, const struct dossier_input *in,
		       const struct document *doc, struct arena *arena);

#endif
