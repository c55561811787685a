/* SPDX-License-Identifier: MIT */
/*
 * unread_rows.h - rows of a table that its reader could not read
 *
 * The reader of a table skips lines that it cannot read: titles of other tables, remarks, and rows
 * of an unknown form. Only the rows are lost data. They are recognised by their shape: at least
 * half of the words of a row are numbers.
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
/* Whether @line has the shape of a row, and as many numbers as @row, or one more or less. */
bool unread_rows_is_like(struct str line, struct str row);
/*
 * The reader of @c could not read @line, which is line @number of the input. Count it as an unread
 * row of the table if it has the shape of a row, otherwise as @other. Ignore blank lines.
 */
void unread_rows_count(struct capture *c, const struct diag_kind *other, struct str line,
		       uint32_t number);
/* Count @line as a row of the table of @c that was not read. */
void unread_rows_add(struct capture *c, uint32_t number);

#endif
