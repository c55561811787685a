/* SPDX-License-Identifier: MIT */
/*
 * heap_sizes.h - how much memory a collection left: "1890M->1884M(2048M)" in logs of collectors
 *
 * HotSpot: src/hotspot/share/gc/shared/gcTraceTime.cpp, and collectedHeap.cpp of JDK 8, which
 * prints each generation in brackets of its own, "[ParOldGen: 13M->13M(14M)]". V8:
 * src/heap/gc-tracer.cc, "20.1 (30.0) -> 18.0 (30.0) MB".
 */
#ifndef FORMATS_HISTOGRAMS_HEAP_SIZES_H
#define FORMATS_HISTOGRAMS_HEAP_SIZES_H

#include "base/str.h"

#include <stdbool.h>

struct heap_sizes {
	double before, after; /* bytes in use */
	double size;          /* bytes; 0: not printed, or not the limit of the heap (V8) */
	bool is_old;          /* of the old generation; else of the whole heap */
};

/*
 * The sizes in @line: of the old generation where it is printed, else of the outermost brackets.
 * False: there are none. Cost: that of 2 KiB of it at most.
 */
bool heap_sizes_parse(struct str line, struct heap_sizes *ret);

#endif
