/* SPDX-License-Identifier: MIT */
/*
 * sides.h - label the captures of a text as before or after, good or bad
 *
 * Authors often write such a word before a table: "Before:", "with the patch", "good". A word
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
 * Label the captures of @doc, which are in d->captures from index @first on. Sets side, state and
 * side_line of each capture if there are 2 to SIDES_CAPTURES captures. Also sets the sides of the
 * figures that the text around the captures states, even for a single capture. Does nothing if the
 * text has more than SIDES_BYTES. Cost: O(n) for n bytes of text.
 */
void sides_mark(struct dossier *d, const struct document *doc, size_t first);

#endif
