/* SPDX-License-Identifier: MIT */
/*
 * sides.h - which captures of a text are before and after, good and bad
 *
 * People write it above a table: "Before:", "with the patch", "good". A word counts where it
 * stands in the lines right above a capture. Which of before and after is the bad one follows
 * from the rest of the text: a patch mends, an upgrade or a bisection complains.
 */
#ifndef FORMATS_SIDES_H
#define FORMATS_SIDES_H

#include <stddef.h>

struct document;
struct dossier;

/*
 * Set side, state and side_line of the captures from @first on, which are of @doc.
 * Cost: one pass over a text of two to SIDES_CAPTURES captures and SIDES_BYTES; nothing else.
 */
void sides_mark(struct dossier *d, const struct document *doc, size_t first);

#endif
