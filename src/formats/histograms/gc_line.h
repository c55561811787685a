/* SPDX-License-Identifier: MIT */
/*
 * gc_line.h - the lines of a garbage collector's log as JDK 8 and older print them
 *
 * A pause may be printed in two parts, with other lines between its beginning and its end.
 * Collector threads that run concurrently with the program print into the same log, even into the
 * middle of a line:
 *
 *     13.100: [GC pause (G1 Evacuation Pause) (young)13.101: [GC concurrent-mark-end, 5.3045 secs]
 *      (to-space exhausted), 0.2345 secs]
 */
#ifndef FORMATS_HISTOGRAMS_GC_LINE_H
#define FORMATS_HISTOGRAMS_GC_LINE_H

#include "base/str.h"

/*
 * The name of the collection on @line. @what: the part of @line between '[' and the sizes or times.
 * The name ends before a time and a generation: "GC 14.1: [ParNew" becomes "GC". "Full GC" gets its
 * cause: "Full GC (System.gc())".
 */
struct str gc_line_name(struct str what, struct str line);
/* Whether a collector thread printed a line into the middle of @what, as in the example above. */
bool gc_line_is_torn(struct str what);
/* Whether @line begins a pause: a time, then "[GC" or "[Full GC", but no concurrent phase. */
bool gc_line_begins(struct str line);
/*
 * Whether @line is the end of a pause that began on an earlier line: ", 0.0345 secs]",
 * " (to-space exhausted), 0.0345 secs]", or sizes of generations, ": 9K->1K(9K), 0.03 secs] ...".
 * @ret: the offset in @line after the number of seconds.
 */
bool gc_line_ends(struct str line, size_t *ret);

/*
 * Lines above a pause: its reason, "GC(321) To-space exhausted", and the regions of large objects
 * before and after it, "GC(321) Humongous regions: 37->35". Numbers of collections such as
 * "GC(321)" are views of the input.
 */
struct gc_pending {
	const char *reason;   /* NULL: none */
	struct str gc;        /* the collection that the reason is about */
	double large_regions; /* number of these regions after the collection */
	struct str large_gc;  /* the collection of large_regions; empty: none */
};

/* If @line is such a line about the next pause, store its facts in @p. */
void gc_line_expect(struct gc_pending *p, struct str line);
/*
 * Why the pause on @line was unusual: no room for moved objects, a failed promotion, a large
 * object. The reason is on the line itself, or in @p if @p belongs to the same collection. NULL:
 * the pause was not unusual.
 */
const char *gc_line_reason(struct str line, const struct gc_pending *p);

/* Regions of large objects after the pause on @line, from a line above it. False: unknown. */
bool gc_line_large_regions(struct str line, const struct gc_pending *p, double *ret);

/*
 * CPU time and elapsed time of a pause, in seconds, as collectors print them: "User=0.08s Sys=1.92s
 * Real=8.12s", "[Times: user=0.61 sys=0.02, real=0.11 secs]". False: @line has none.
 */
bool gc_line_times(struct str line, double *ret_cpu, double *ret_real);

/*
 * Incremental marking before a full collection of V8: the program marks the heap in many short
 * steps. In "(+ 12.3 ms in 45 steps since start of marking, biggest step 2.1 ms, walltime since
 * start of marking 678 ms)".
 */
struct gc_marking {
	double steps;      /* number of steps */
	double ns;         /* sum of their times */
	double half_ns;    /* rounding error of that sum */
	double longest_ns; /* the longest step */
	double elapsed_ns; /* from the start of marking to the collection */
};

/* Parse the steps of incremental marking on @line. False: @line has none. */
bool gc_line_marking(struct str line, struct gc_marking *ret);

#endif
