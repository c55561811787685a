/* SPDX-License-Identifier: MIT */
/*
 * label.h - names of containers before each line of a log: "db_1   | text"
 *
 * docker compose writes the name of the service with its number, blanks up to a common column, and
 * a bar; behind it is what the program wrote. A table looks the same, but its first column does not
 * repeat a few names that all end in a number.
 */
#ifndef DOCUMENT_LABEL_H
#define DOCUMENT_LABEL_H

#include "base/str.h"
#include "document/linemap.h"

#include <stddef.h>

/* Bytes of the label at the start of @line, the blank after its bar included; 0: there is none. */
size_t label_bytes(struct str line);

/*
 * Length of a block of labelled lines that starts with the next line of @c, below @depth quote
 * marks; 0: none. Cost: linear in the block.
 */
size_t label_scan(struct piece_cursor c, size_t depth);

/* Has @text such a block? Cost: the first bytes of each line. */
bool label_is_in(struct str text);

#endif
