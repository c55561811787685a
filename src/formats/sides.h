/* SPDX-License-Identifier: MIT */
/*
 * sides.h - label the captures of a text as before and after, good and bad
 *
 * Authors often write the side before a table: "Before:", "with the patch", "good". Such a word
 * counts only in the lines right before a capture. The rest of the text decides whether "before" or
 * "after" is the bad side: a text about a patch describes a fix, and a text about an upgrade or a
 * bisection describes a regression.
 */
#ifndef FORMATS_SIDES_H
#define FORMATS_SIDES_H

#include <stddef.h>

struct document;
struct dossier;

/*
 * Set side, state and side_line of the captures of @doc, which start at index @first, if their
 * number is 2 to SIDES_CAPTURES. Also set the sides of the figures that the text around the
 * captures states. Does nothing if the text has more than SIDES_BYTES. Cost: O(n) for n bytes of
 * text.
 */
void sides_mark(struct dossier *d, const struct document *doc, size_t first);

#endif
