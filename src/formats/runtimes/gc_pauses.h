/* SPDX-License-Identifier: MIT */
/*
 * gc_pauses.h - pauses of the garbage collector in recordings of the runtimes of Java and Go
 *
 * A pause belongs to a collection, which has a number, a name ("G1Full") and a cause. The pauses
 * become a distribution, with a series "pause" for each name and cause. The reader of garbage
 * collector logs makes the same distribution. Other pauses of the program can be stored in the same
 * way, in a series with another name.
 */
#ifndef FORMATS_GC_PAUSES_H
#define FORMATS_GC_PAUSES_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct dossier;
struct format;
struct region;

struct gc_pause {
	uint64_t id; /* number of the collection to which the pause belongs */
	uint64_t ns;
	str_id key; /* string with the name and cause of the collection; STR_ID_NONE: unknown */
};

struct gc_pauses {
	const char *name; /* name of the series; NULL: "pause" */
	VEC(struct gc_pause) rows;
	/* one element for each collection; the member `ns` is not used */
	VEC(struct gc_pause) collections;
};

void gc_pauses_fini(struct gc_pauses *p);
void gc_pauses_add(struct gc_pauses *p, uint64_t id, uint64_t ns);
/* Set name and cause of the collection with the number @id, such as "G1Full" and "System.gc()". */
void gc_pauses_collection(struct gc_pauses *p, struct dossier *d, uint64_t id, struct str name,
			  struct str cause);
/* Add a capture with all pauses, if there are any. @span_ns: duration of the recording. */
void gc_pauses_finish(struct gc_pauses *p, const struct format *f, const struct region *in,
		      struct dossier *d, double span_ns);

#endif
