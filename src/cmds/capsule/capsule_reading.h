/* SPDX-License-Identifier: MIT */
/* capsule_reading.h - findings and page for a capsule, as `assay explain` makes them */
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
 * Set the options of @s to those of explain, so that both readings of the evidence
 * (capsule_judge.h) use the same options.
 */
void capsule_reading_options(struct session *s);
/* Compute the findings on the captures of @s. Owner: caller, capsule_reading_fini(). */
void capsule_reading_make(const struct session *s, struct capsule_reading *ret);
void capsule_reading_fini(struct capsule_reading *r);
/* Append the output of explain: text, or JSON if @is_json. */
void capsule_reading_text(struct session *s, const struct capsule_reading *r, bool is_json,
			  struct out *out);

#endif
