/* SPDX-License-Identifier: MIT */
/*
 * excerpt.h - use a quoted capture only once
 *
 * A mail may quote a report twice, or show the first rows of an attached report: in both cases
 * there is only one capture. A capture is marked as an excerpt if a larger or earlier capture of
 * the same format and input contains all its rows (or samples, calls, records). Views leave out
 * excerpts.
 */
#ifndef FORMATS_EXCERPT_H
#define FORMATS_EXCERPT_H

#include <stddef.h>

struct dossier;

/*
 * Set excerpt_of for the captures starting at index @first. Cost: O(n log n) in the rows of these
 * captures, plus a comparison of each pair of captures with different rows. Of captures with
 * different rows, only the first EXCERPT_MAX_KINDS are compared; equal captures are always found.
 * Captures with more than EXCERPT_MAX_ROWS rows are not compared. Temporary memory: 16 bytes per
 * row.
 */
void excerpts_mark(struct dossier *d, size_t first);

#endif
