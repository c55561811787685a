/* SPDX-License-Identifier: MIT */
/*
 * unread_rows.h - rows of a table that its reader could not read
 *
 * A table's reader skips the lines that it cannot read: titles of other tables, remarks, and rows
 * in an unknown form. Only a skipped row is lost data. A row is recognised by its shape: at least
 * half of its words are numbers.
 *
 * The report of a capture shows how many rows of the table were not read, as a part of its verdict
 * on the quality of the data.
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
/*
 * Whether @line has the shape of a row, and the same number of numbers as @row, plus or minus one.
 */
bool unread_rows_is_like(struct str line, struct str row);
/*
 * @line is a line that the reader of @c could not read. If it has the shape of a row, count it as
 * an unread row; otherwise count it as @other. Blank lines are not counted. @number: number of the
 * line in the input.
 */
void unread_rows_count(struct capture *c, const struct diag_kind *other, struct str line,
		       uint32_t number);
/* Count a line of the table of @c as an unread row. @number: number of the line in the input. */
void unread_rows_add(struct capture *c, uint32_t number);

#endif
