/* SPDX-License-Identifier: MIT */
/*
 * gc_words.h - garbage collections that failed or were requested, recognised by their names in the
 * log
 */
#ifndef EXPLAIN_GC_WORDS_H
#define EXPLAIN_GC_WORDS_H

#include "base/str.h"

/* Collections that ran out of memory before they ended, from gc-no-room.names. */
struct gc_failure {
	const char *failures; /* str_glob that the names of such pauses and stalls match */
	const char *what, *cause, *next;
};

/* Collections of the whole heap that were requested, by whom and why, from gc-requested.names. */
struct gc_asker {
	const char *requests; /* str_glob that the names of such pauses match */
	const char *cause, *next;
};

/* The kind of failure that the name of a pause or stall states; NULL: it states none. */
const struct gc_failure *gc_words_failure(struct str name);
/* The request that the name of a pause states; NULL: the pause was not requested. */
const struct gc_asker *gc_words_asker(struct str name);

#endif
