/* SPDX-License-Identifier: MIT */
/*
 * label.h - names of containers before each line of a log: "db_1   | text"
 *
 * docker compose writes a label before each line of a program's output: the name of the service
 * with its number, blanks up to a common column, and a bar. The first column of a table may look
 * similar. But labels are only a few names, which repeat, and all names end in a number.
 */
#ifndef DOCUMENT_LABEL_H
#define DOCUMENT_LABEL_H

#include "base/str.h"
#include "document/piece.h"

#include <stddef.h>

/*
 * Length in bytes of the label at the start of @line, including its bar and the blank after the
 * bar. 0: @line has no label.
 */
size_t label_bytes(struct str line);

/*
 * Number of consecutive lines with labels, from the next line of @c on; 0: the next line has no
 * label. In each line, @depth quote marks precede the label. Cost: linear in these lines.
 */
size_t label_scan(struct piece_cursor c, size_t depth);

/* Whether @text has a block of lines with labels. Cost: reads the first bytes of each line. */
bool label_is_in(struct str text);

#endif
