/* SPDX-License-Identifier: MIT */
/* capsule_reading.h - the findings for a capsule, and their text, as `assay explain` prints it */
#ifndef CMDS_CAPSULE_READING_H
#define CMDS_CAPSULE_READING_H

#include "explain/findings.h"

struct facts;
struct out;
struct session;

struct capsule_reading {
	struct facts *facts;
	struct findings findings;
};

/*
 * Set the options of @s to those of `assay explain`. Both readings of the evidence
 * (capsule_judge.h) must use these options.
 */
void capsule_reading_options(struct session *s);
/* Compute the findings about the captures of @s. Owner: caller, capsule_reading_fini(). */
void capsule_reading_make(const struct session *s, struct capsule_reading *ret);
void capsule_reading_fini(struct capsule_reading *r);
/* Append what `assay explain` prints: text, or JSON if @is_json. */
void capsule_reading_text(struct session *s, const struct capsule_reading *r, bool is_json,
			  struct out *out);

#endif
