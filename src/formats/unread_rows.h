/* SPDX-License-Identifier: MIT */
/*
 * unread_rows.h - rows of a table that its reader could not read
 *
 * A reader of a table meets lines that are no row for it: titles of another table, remarks, and
 * rows of a form that it does not know. The first two lose nothing; the last ones do. Their shape
 * tells them apart: at least half of the words of a row are numbers.
 *
 * The verdict on the data says how many rows of the table were not read.
 */
#ifndef FORMATS_UNREAD_ROWS_H
#define FORMATS_UNREAD_ROWS_H

#include "base/str.h"

struct capture;
struct diag_kind;

/*
 * Whether @line has the shape of a row: "eth0  12.5  3", "[4, 8)  12 |@@@|", "name: 12 kB". Times
 * of day are no numbers.
 */
bool unread_rows_is_row(struct str line);
/* Whether @line has the shape of a row, and as many numbers as @row, give or take one. */
bool unread_rows_is_like(struct str line, struct str row);
/*
 * Count @line, line @number of the input, which the reader of @c could not read, as a row of its
 * table, or else as @other. Blank lines are not counted.
 */
void unread_rows_count(struct capture *c, const struct diag_kind *other, struct str line,
		       uint32_t number);
/* Count @line as a row of the table of @c that was not read. */
void unread_rows_add(struct capture *c, uint32_t number);

#endif
