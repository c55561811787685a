/* SPDX-License-Identifier: MIT */
/*
 * label.h - names of containers before each line of a log: "db_1   | text"
 *
 * docker compose writes the name of the service with its number, blanks up to a common column, and
 * a bar. The line of the program follows. A table looks similar, but its first column does not
 * consist of a few repeated names that all end in a number.
 */
#ifndef DOCUMENT_LABEL_H
#define DOCUMENT_LABEL_H

#include "base/str.h"
#include "document/linemap.h"

#include <stddef.h>

/* Bytes of the label at the start of @line, with the blank after its bar; 0: no label. */
size_t label_bytes(struct str line);

/*
 * Number of lines in the block of labelled lines that starts with the next line of @c. Labels
 * follow @depth quote marks. 0: no block. Cost: linear in the block.
 */
size_t label_scan(struct piece_cursor c, size_t depth);

/* Whether @text has a block of labelled lines. Cost: reads the first bytes of each line. */
bool label_is_in(struct str text);

#endif
