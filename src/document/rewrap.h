/* SPDX-License-Identifier: MIT */
/*
 * rewrap.h - join the rows of tables that a mailer broke at 72 to 80 columns
 *
 *     03:51:49 PM   UID       PID    %usr %system  %guest   %wait    %CPU
 *     CPU  Command
 *     03:51:51 PM  1000    109930   14.00    8.00    0.00    0.00   22.00
 *     1  ceph-osd
 *
 * A table is recognised by its titles and its rows, not by the tool. The titles, in one to four
 * lines, have as many words as each of the following rows. At least half of the words of a row are
 * numbers. A row is joined only if it is longer than the longest line around it: otherwise, no
 * mailer would have broken it.
 *
 * A system call of strace is joined up to its result, ") = 0". Histograms have no titles: a bucket
 * is joined if its bar, between two '|', begins or ends in the next line.
 */
#ifndef DOCUMENT_REWRAP_H
#define DOCUMENT_REWRAP_H

#include "base/str.h"

struct clean;

/* Maximum size of a text, in bytes. Larger texts are probably no mails, and are not searched. */
#define REWRAP_BYTES (1u << 20)

/* A line of the cleaned text. */
struct rewrap_line {
	struct str text;
	uint32_t original;
	uint8_t depth; /* quote depth */
};

/*
 * Write the lines @l into @ret, with the rows of broken tables joined. Returns the number of lines
 * that were appended to another line. *@ret_first: original line of the first appended line. If no
 * table is broken, returns 0, and @ret is empty.
 */
size_t rewrap(const struct rewrap_line *l, size_t n, struct clean *ret, uint32_t *ret_first);

#endif
