/* SPDX-License-Identifier: MIT */
/*
 * gc_counters.h - the counters that a log of a garbage collector prints for a collection
 *
 * The counters of one collection are consecutive rows with the same interval number. The name of a
 * counter is its quantity: "heap before", "pause CPU time", "marking steps".
 */
#ifndef FORMATS_HISTOGRAMS_GC_COUNTERS_H
#define FORMATS_HISTOGRAMS_GC_COUNTERS_H

#include "base/str.h"

struct capture;
struct gc_pending;

/* Place of a collection in the log: the line, and the printed time. */
struct gc_place {
	uint32_t line;
	double stamp; /* ns since the start of the program; < 0: not printed */
};

/*
 * Add the CPU time and elapsed time of a pause to @c, if @line has them. False: the limit of rows
 * is reached.
 */
bool gc_counters_add_cpu(struct capture *c, struct str line, struct gc_place at);
/*
 * If @line is a full collection, add counters to @c: the heap size before and after the collection,
 * the number of regions with large objects, and the steps of incremental marking. @what: name of
 * the collection. @p: facts from earlier lines. False: the limit of rows is reached.
 */
bool gc_counters_add_heap(struct capture *c, struct str what, struct str line,
			  const struct gc_pending *p, struct gc_place at);

#endif
