/* SPDX-License-Identifier: MIT */
/*
 * gc_words.h - recognise, by its name in the log, a garbage collection that failed or was
 * requested
 */
#ifndef EXPLAIN_GC_WORDS_H
#define EXPLAIN_GC_WORDS_H

#include "base/str.h"

/* A row of gc-no-room.names: a collection that ran out of memory before it ended. */
struct gc_failure {
	const char *failures; /* pattern of the names of such pauses: "*to-space*" */
	const char *what, *cause, *next;
};

/* A row of gc-requested.names: a collection of the whole heap that someone requested. */
struct gc_asker {
	const char *requests; /* pattern of the names of such pauses: "*(Heap Dump *" */
	const char *cause, *next;
};

/* The failure that the name of a pause or stall contains; NULL: none. */
const struct gc_failure *gc_words_failure(struct str name);
/* The request that the name of a pause contains; NULL: the pause was not requested. */
const struct gc_asker *gc_words_asker(struct str name);

#endif
