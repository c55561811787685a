/* SPDX-License-Identifier: MIT */
/*
 * heap_sizes.h - heap before and after a garbage collection: "1890M->1884M(2048M)" in a log
 *
 * Sources: HotSpot, src/hotspot/share/gc/shared/gcTraceTime.cpp. JDK 8, collectedHeap.cpp, which
 * prints each generation in separate brackets: "[ParOldGen: 13M->13M(14M)]". V8:
 * src/heap/gc-tracer.cc, "20.1 (30.0) -> 18.0 (30.0) MB".
 */
#ifndef FORMATS_HISTOGRAMS_HEAP_SIZES_H
#define FORMATS_HISTOGRAMS_HEAP_SIZES_H

#include "base/str.h"

#include <stdbool.h>

struct heap_sizes {
	double before, after; /* bytes in use before and after the collection */
	/* total size in bytes, the 2048M in "1890M->1884M(2048M)"; 0: unknown, as in V8 */
	double size;
	/* the sizes are those of the old generation, not of the whole heap */
	bool is_old;
	bool is_in_kib; /* sizes are printed in KiB, so they are exact to 1 KiB */
};

/*
 * Parse the sizes in @line. If the line has sizes of the old generation, these are used. Otherwise
 * the sizes inside the fewest brackets '[' are used. False: no sizes. Cost: linear in the first 2
 * KiB of the line.
 */
bool heap_sizes_parse(struct str line, struct heap_sizes *ret);
/*
 * Like heap_sizes_parse(), but always use the sizes inside the fewest brackets '[', which are those
 * of the whole heap. False: no such sizes.
 */
bool heap_sizes_whole(struct str line, struct heap_sizes *ret);

#endif
