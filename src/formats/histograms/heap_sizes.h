/* SPDX-License-Identifier: MIT */
/*
 * heap_sizes.h - heap before and after a garbage collection: "1890M->1884M(2048M)" in a log
 *
 * Sources: HotSpot, src/hotspot/share/gc/shared/gcTraceTime.cpp, and collectedHeap.cpp of JDK 8,
 * which prints each generation in brackets of its own, "[ParOldGen: 13M->13M(14M)]". V8:
 * src/heap/gc-tracer.cc, "20.1 (30.0) -> 18.0 (30.0) MB".
 */
#ifndef FORMATS_HISTOGRAMS_HEAP_SIZES_H
#define FORMATS_HISTOGRAMS_HEAP_SIZES_H

#include "base/str.h"

#include <stdbool.h>

struct heap_sizes {
	double before, after; /* bytes in use */
	/* size of the whole heap in bytes, 2048M of "1890M->1884M(2048M)"; 0: unknown, as in V8 */
	double size;
	/* `before` and `after` are sizes of the old generation, not of the whole heap */
	bool is_old;
	bool is_in_kib; /* printed in KiB: other units are coarser */
};

/*
 * Parse the sizes in @line: the sizes of the old generation if the line has them, otherwise the
 * outermost sizes. False: no sizes. Cost: linear in the first 2 KiB of the line.
 */
bool heap_sizes_parse(struct str line, struct heap_sizes *ret);
/* The same, but always the outermost sizes: those of the whole heap. */
bool heap_sizes_whole(struct str line, struct heap_sizes *ret);

#endif
