/* SPDX-License-Identifier: MIT */
/*
 * gc_counters.h - the counters that a log of a garbage collector prints for a collection
 *
 * The counters of one collection are adjacent rows of one interval. They are named after their
 * quantity: "heap before", "pause CPU time", "marking steps".
 */
#ifndef FORMATS_HISTOGRAMS_GC_COUNTERS_H
#define FORMATS_HISTOGRAMS_GC_COUNTERS_H

#include "base/str.h"

struct capture;
struct gc_pending;

/* Where a line with a collection was printed. */
struct gc_place {
	uint32_t line;
	double stamp; /* ns since the start of the program; < 0: not printed */
};

/*
 * If @line prints CPU time and elapsed time of a pause, add them to @c. False: past the limit of
 * rows.
 */
bool gc_counters_add_cpu(struct capture *c, struct str line, struct gc_place at);
/*
 * If @line is a full collection (@what: its name), add the sizes of the heap before and after it,
 * the regions of large objects that @p has of it, and the steps of incremental marking before it.
 * False: past the limit of rows.
 */
bool gc_counters_add_heap(struct capture *c, struct str what, struct str line,
			  const struct gc_pending *p, struct gc_place at);

#endif
