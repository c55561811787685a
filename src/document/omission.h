/* SPDX-License-Identifier: MIT */
/*
 * omission.h - marks such as "[...]" and "<snip>", with which people replace omitted lines
 *
 * A text with such a mark is incomplete. Its counts are lower bounds. Lines after the mark do not
 * continue the lines before it. A line of more than 100 bytes is no mark. Cost: linear in the line.
 */
#ifndef DOCUMENT_OMISSION_H
#define DOCUMENT_OMISSION_H

#include "base/str.h"

/* Whether @line is only a mark: "...", "[..]", "(…)", "<snip>", "-- snipped --", "# ...". */
bool omission_is_mark(struct str line);

/*
 * Whether @line is a mark, perhaps with words about the missing lines: "... (1000 more)", "[...
 * same lines ...]", "(many more of these)". Also true for lines of the Java runtime: "... 23 more".
 */
bool omission_is_in_words(struct str line);

#endif
