/* SPDX-License-Identifier: MIT */
/*
 * listing.h - line numbers before each line, as editors and viewers copy them: "3976 text"
 *
 * Such a number is recognised by two properties that the first column of a table does not have. The
 * number increases by one with each line. At least one line, which is empty in the original, has
 * only a number.
 */
#ifndef DOCUMENT_LISTING_H
#define DOCUMENT_LISTING_H

#include "base/str.h"
#include "document/piece.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Length in bytes of the number at the start of @line, with the separator after it; 0: no number.
 */
size_t listing_bytes(struct str line);

/*
 * Number of consecutive lines, from the next line of @c on, whose numbers increase by one. 0: the
 * next line has no number. In each line, @depth quote marks precede the number. *@ret_is_listing:
 * the numbers are line numbers, not a column of a table. Cost: linear in these lines.
 */
size_t listing_scan(struct piece_cursor c, size_t depth, bool *ret_is_listing);

/* Whether @text has lines with line numbers. Cost: reads the first bytes of each line. */
bool listing_is_in(struct str text);

#endif
