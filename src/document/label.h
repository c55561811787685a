/* SPDX-License-Identifier: MIT */
/*
 * label.h - names of containers before each line of a log: "db_1   | text"
 *
 * Before each line of a program's output, docker compose writes a label: the name of the service
 * with its number, blanks up to a common column, and a bar. Labels differ from the first column of
 * a table in two ways: a few names repeat, and all end in a number.
 */
#ifndef DOCUMENT_LABEL_H
#define DOCUMENT_LABEL_H

#include "base/str.h"
#include "document/piece.h"

#include <stddef.h>

/*
 * Length in bytes of the label at the start of @line, with its bar and the blank after the bar; 0:
 * no label.
 */
size_t label_bytes(struct str line);

/*
 * Number of consecutive lines with labels, if the next line of @c is the first of them; else 0. In
 * each line, @depth quote marks precede the label. Cost: linear in these lines.
 */
size_t label_scan(struct piece_cursor c, size_t depth);

/* Whether @text has a block of lines with labels. Cost: reads the first bytes of each line. */
bool label_is_in(struct str text);

#endif
