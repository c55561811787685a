/* SPDX-License-Identifier: MIT */
/* gc_words.h - recognise a failed or requested garbage collection by its name in the log */
#ifndef EXPLAIN_GC_WORDS_H
#define EXPLAIN_GC_WORDS_H

#include "base/str.h"

struct capture;
struct findings;

/* A row of gc-no-room.names: a collection that ran out of memory before it was complete. */
struct gc_failure {
	const char *failures; /* pattern of the names of failed collections: "*to-space*" */
	const char *what, *cause, *next;
};

/* A row of gc-requested.names: a collection of the whole heap on request. */
struct gc_asker {
	const char *requests; /* pattern of the names of requested pauses: "*(Heap Dump *" */
	const char *cause, *next;
};

/* The failure that the name of a pause or stall contains; NULL: none. */
const struct gc_failure *gc_words_failure(struct str name);
/* The request that the name of a pause contains; NULL: the pause was not requested. */
const struct gc_asker *gc_words_asker(struct str name);

/*
 * The next step to get a log with the memory in use after each collection. It fits the runtime that
 * printed @c: "-Xlog:gc*" for a JVM. If the runtime is unknown, it has the steps for all usual
 * runtimes.
 */
const char *gc_words_log(const struct capture *c);
/* Is @c a log of JDK 8 or older? */
bool gc_words_is_jdk8(const struct capture *c);
/*
 * The next step to see which objects fill the heap. It fits the runtime that printed @c: "jmap
 * -histo:live PID" for a JVM.
 */
const char *gc_words_dump(const struct capture *c);
/*
 * The percentage of time in which the program is stopped for its collector. With three pauses or
 * more, it is the sum of the pauses divided by the time span of the log. With two pauses, it is the
 * first pause divided by the time from its start to the start of the second. *@ret_ns: this time;
 * *@ret_sum_ns: the pauses in it. NAN: unknown, or the time is shorter than a second.
 */
double gc_words_stopped(const struct capture *c, double *ret_ns, double *ret_sum_ns);
/* Common subject of two findings: collections of the whole heap take most of the pauses. */
#define GC_WORDS_ABOUT_FULL "collections of the whole heap"

#endif
