/* SPDX-License-Identifier: MIT */
/*
 * sides.h - label the captures of a text as before and after, good and bad
 *
 * People write it above a table: "Before:", "with the patch", "good". A word counts in the
 * lines right above a capture. The rest of the text decides which of before and after is bad: a
 * patch fixes, an upgrade or a bisection complains.
 */
#ifndef FORMATS_SIDES_H
#define FORMATS_SIDES_H

#include <stddef.h>

struct document;
struct dossier;

/*
 * Set side, state and side_line of the captures of @doc, from @first on. Cost: one pass over a
 * text with two to SIDES_CAPTURES captures and up to SIDES_BYTES; otherwise nothing.
 */
void sides_mark(struct dossier *d, const struct document *doc, size_t first);

#endif
