/* SPDX-License-Identifier: MIT */
/*
 * jfr_pauses.h - pauses of the garbage collector in a Java Flight Recorder file
 *
 * A pause event refers to its collection by a number. The event of the collection has the
 * collection's name ("G1Full") and cause. The result is the same distribution as from a log of the
 * collector: a series "pause" for each name and cause.
 */
#ifndef FORMATS_JFR_PAUSES_H
#define FORMATS_JFR_PAUSES_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct dossier;
struct format;
struct region;

struct jfr_pause {
	uint64_t id; /* number of the collection that the pause belongs to */
	uint64_t ns;
	str_id key; /* name and cause of the collection; STR_ID_NONE: not recorded */
};

struct jfr_pauses {
	VEC(struct jfr_pause) rows;
	VEC(struct jfr_pause) collections; /* one for each collection; ns is not used */
};

void jfr_pauses_fini(struct jfr_pauses *p);
void jfr_pauses_add(struct jfr_pauses *p, uint64_t id, uint64_t ns);
/* Set name and cause of the collection @id: "G1Full", "System.gc()". */
void jfr_pauses_collection(struct jfr_pauses *p, struct dossier *d, uint64_t id, struct str name,
			   struct str cause);
/* Add a capture with all pauses, if there are any. @span_ns: the recorded time. */
void jfr_pauses_finish(struct jfr_pauses *p, const struct format *f, const struct region *in,
		       struct dossier *d, double span_ns);

#endif
