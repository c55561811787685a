/* SPDX-License-Identifier: MIT */
/*
 * jfr_pauses.h - pauses of the garbage collector in a Java Flight Recorder file
 *
 * A pause names its collection by a number; the event of the collection says what kind it is
 * and why it was made. The result is the distribution that a log of the collector gives: a
 * series "pause" for each kind.
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
	uint64_t id; /* of its collection */
	uint64_t ns;
	str_id key; /* kind and cause; STR_ID_NONE: the collection was not recorded */
};

struct jfr_pauses {
	VEC(struct jfr_pause) rows;
	VEC(struct jfr_pause) collections; /* @ns is not used */
};

void jfr_pauses_fini(struct jfr_pauses *p);
void jfr_pauses_add(struct jfr_pauses *p, uint64_t id, uint64_t ns);
/* Name the collection @id: @name is "G1Full", @cause "System.gc()". */
void jfr_pauses_collection(struct jfr_pauses *p, struct dossier *d, uint64_t id, struct str name,
			   struct str cause);
/* Add a capture with all pauses, if there are any. @span_ns is the recorded time. */
void jfr_pauses_finish(struct jfr_pauses *p, const struct format *f, const struct region *in,
		       struct dossier *d, double span_ns);

#endif
