/* SPDX-License-Identifier: MIT */
/*
 * sides.h - label the captures of a text as before and after, good and bad
 *
 * People write the side above a table: "Before:", "with the patch", "good". Such a word counts in
 * the lines right above a capture. The rest of the text decides whether before or after is bad: a
 * text about a patch describes a fix; one about an upgrade or a bisection, a regression.
 */
#ifndef FORMATS_SIDES_H
#define FORMATS_SIDES_H

#include <stddef.h>

struct document;
struct dossier;

/*
 * Set side, state and side_line of the captures of @doc, starting at index @first. Cost: one pass
 * over a text with two to SIDES_CAPTURES captures and up to SIDES_BYTES; otherwise nothing.
 */
void sides_mark(struct dossier *d, const struct document *doc, size_t first);

#endif
