/* SPDX-License-Identifier: MIT */
/*
 * omission.h - marks of people for lines that they left out of a paste: "[...]", "<snip>"
 *
 * A text with such a mark is incomplete: its counts are lower bounds, and what is above the mark
 * does not continue below it. A line of more than 100 bytes is no mark. Cost: linear in the line.
 */
#ifndef DOCUMENT_OMISSION_H
#define DOCUMENT_OMISSION_H

#include "base/str.h"

/* Is @line nothing but a mark: "...", "[..]", "(…)", "<snip>", "-- snipped --", "# ..."? */
bool omission_is_mark(struct str line);

/*
 * Is @line a mark, or a mark with words about what is missing: "... (1000 more)", "[... same lines
 * ...]", "(many more of these)"? A Java stack has such lines of its own ("... 23 more").
 */
bool omission_is_in_words(struct str line);

#endif
