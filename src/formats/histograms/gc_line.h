/* SPDX-License-Identifier: MIT */
/*
 * gc_line.h - the lines of a garbage collector's log as JDK 8 and older print them
 *
 * A pause may be printed in two parts, with other lines between both parts. Collector threads run
 * concurrently with the program and print into the same log. Their text may be in the middle of
 * another line:
 *
 *     13.100: [GC pause (G1 Evacuation Pause) (young)13.101: [GC concurrent-mark-end, 5.3045 secs]
 *      (to-space exhausted), 0.2345 secs]
 */
#ifndef FORMATS_HISTOGRAMS_GC_LINE_H
#define FORMATS_HISTOGRAMS_GC_LINE_H

#include "base/str.h"

/*
 * The name of the collection on @line. @what: the part of @line between '[' and the sizes or times.
 * A time and a generation in @what are left out: the name is "GC" if @what is "GC 14.1: [ParNew".
 * "Full GC" gets the cause that follows it: "Full GC (System.gc())".
 */
struct str gc_line_name(struct str what, struct str line);
/* Whether @what contains text of a collector thread, as in the example at the top of this file. */
bool gc_line_is_torn(struct str what);
/*
 * Whether @line begins a pause: a time, then "[GC" or "[Full GC". A concurrent phase is not a
 * pause.
 */
bool gc_line_begins(struct str line);
/*
 * Whether @line is the end of a pause that began on an earlier line: ", 0.0345 secs]", " (to-space
 * exhausted), 0.0345 secs]", or sizes of generations, ": 9K->1K(9K), 0.03 secs] ...". *ret: offset
 * in @line of the end of the number of seconds.
 */
bool gc_line_ends(struct str line, size_t *ret);

/*
 * Facts about a pause from lines above it: the reason, "GC(321) To-space exhausted", and the
 * regions of large objects before and after the collection, "GC(321) Humongous regions: 37->35".
 * The numbers of collections, such as "GC(321)", are views of the input.
 */
struct gc_pending {
	const char *reason;   /* the reason that makes the pause unusual; NULL: none */
	struct str gc;        /* number of the collection that has this reason */
	double large_regions; /* number of regions of large objects after the collection */
	struct str large_gc;  /* number of the collection that has large_regions; empty: none */
};

/* If @line has a fact about the next pause, store it in @p. */
void gc_line_expect(struct gc_pending *p, struct str line);
/*
 * The reason that makes the pause on @line unusual: no room for moved objects, a failed promotion,
 * a large object. It is on the line itself, or in @p if @p is about the same collection. NULL: the
 * pause is not unusual.
 */
const char *gc_line_reason(struct str line, const struct gc_pending *p);

/*
 * Number of regions of large objects after the pause on @line, if @p, from earlier lines, has it.
 * False: unknown.
 */
bool gc_line_large_regions(struct str line, const struct gc_pending *p, double *ret);

/*
 * CPU time and elapsed time of a pause, in seconds, as collectors print them: "User=0.08s Sys=1.92s
 * Real=8.12s", "[Times: user=0.61 sys=0.02, real=0.11 secs]". False: @line does not have them.
 */
bool gc_line_times(struct str line, double *ret_cpu, double *ret_real);

/*
 * Incremental marking of V8: before a full collection, the program marks the heap in many short
 * steps. It is printed as "(+ 12.3 ms in 45 steps since start of marking, biggest step 2.1 ms,
 * walltime since start of marking 678 ms)".
 */
struct gc_marking {
	double steps;      /* number of marking steps */
	double ns;         /* total time of the steps, ns */
	double half_ns;    /* rounding error of `ns`: half a unit of its last digit */
	double longest_ns; /* time of the longest step */
	double elapsed_ns; /* time from the start of marking to the collection */
};

/* Parse the text about incremental marking on @line. False: no such text. */
bool gc_line_marking(struct str line, struct gc_marking *ret);

#endif
