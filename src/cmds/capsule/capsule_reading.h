/* SPDX-License-Identifier: MIT */
/* capsule_reading.h - findings of the evidence, as `assay explain` reads it */
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

/* Set the options of @s that explain has: both readings must have the same. */
void capsule_reading_options(struct session *s);
/* Make the findings of the captures in @s. Owner: caller, capsule_reading_fini(). */
void capsule_reading_make(const struct session *s, struct capsule_reading *ret);
void capsule_reading_fini(struct capsule_reading *r);
/* Append the page of explain as text, or as JSON. */
void capsule_reading_text(struct session *s, const struct capsule_reading *r, bool is_json,
			  struct out *out);

#endif
