/* SPDX-License-Identifier: MIT */
/*
 * gc_words.h - recognise, by its name in the log, a garbage collection that failed or was
 * requested
 */
#ifndef EXPLAIN_GC_WORDS_H
#define EXPLAIN_GC_WORDS_H

#include "base/str.h"

struct capture;
struct findings;

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

/*
 * How to get a log of the collector with the memory in use after each collection, by the runtime
 * that printed @c: "-Xlog:gc*" of a JVM. For a runtime that is not known: of the usual ones.
 */
const char *gc_words_log(const struct capture *c);
/* Is the log @c one of JDK 8 or older? */
bool gc_words_is_jdk8(const struct capture *c);
/*
 * How to see which objects fill the heap, by the runtime that printed @c: "jmap -histo:live PID" of
 * a JVM.
 */
const char *gc_words_dump(const struct capture *c);
/*
 * The share of the time in which the program stands still for its collector, in percent. Of a log
 * with three pauses or more, their sum in the time of the log. Of two pauses, the first one in the
 * time from its start to that of the second. *@ret_ns: this time; *@ret_sum_ns: the pauses in it.
 * NAN: unknown, or the time is shorter than a second.
 */
double gc_words_stopped(const struct capture *c, double *ret_ns, double *ret_sum_ns);
/* What two findings about collections of the whole heap that take most of the pauses are about. */
#define GC_WORDS_ABOUT_FULL "collections of the whole heap"

#endif
