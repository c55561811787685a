/* SPDX-License-Identifier: MIT */
/*
 * sides.h - label the captures of a text as before and after, good and bad
 *
 * People write the side above a table: "Before:", "with the patch", "good". Such a word counts in
 * the lines right above a capture. Whether "before" or "after" is the bad side is decided by the
 * rest of the text: a text about a patch describes a fix; one about an upgrade or a bisection, a
 * regression.
 */
#ifndef FORMATS_SIDES_H
#define FORMATS_SIDES_H

#include <stddef.h>

struct document;
struct dossier;

/*
 * Set side, state and side_line of the captures of @doc, starting at index @first, if these are 2
 * to SIDES_CAPTURES, and the sides of the figures that the text around them states. Does nothing if
 * the text has more than SIDES_BYTES. Cost: one pass over the text.
 */
void sides_mark(struct dossier *d, const struct document *doc, size_t first);

#endif
