/* SPDX-License-Identifier: MIT */
/*
 * excerpt.h - the same capture is not counted twice
 *
 * A report that is quoted again in a reply, or of which a mail shows the first
 * rows and attaches the rest, is one capture. A capture all of whose rows (or
 * samples, calls, records) are in a larger or earlier one of the same format and
 * input is marked as its excerpt; views leave it out.
 */
#ifndef FORMATS_EXCERPT_H
#define FORMATS_EXCERPT_H

#include "core/dossier.h"

/*
 * Set excerpt_of among the captures from @first on.
 * Cost: O(n log n) in their rows, 8 bytes a row while it runs; captures beyond
 * EXCERPT_MAX_ROWS and inputs of a single capture cost nothing.
 */
void excerpts_mark(struct dossier *d, size_t first);

#endif
