/* SPDX-License-Identifier: MIT */
/* gc_words.h - what the name of a collection says: a failure, or a request, with its cause */
#ifndef EXPLAIN_GC_WORDS_H
#define EXPLAIN_GC_WORDS_H

#include "base/str.h"

/* Memory ran out before the collector was done: gc-no-room.names. */
struct gc_failure {
	const char *failures; /* str_glob of names of pauses and stalls */
	const char *what, *cause, *next;
};

/* Something asked for a collection of the whole heap: gc-requested.names. */
struct gc_asker {
	const char *requests; /* str_glob of names of pauses */
	const char *cause, *next;
};

/* The failure that the pause or stall @name states; NULL: none. */
const struct gc_failure *gc_words_failure(struct str name);
/* Who asked for the pause @name; NULL: nobody did. */
const struct gc_asker *gc_words_asker(struct str name);

#endif
