/* SPDX-License-Identifier: MIT */
/*
 * profile_text.h - rows of profiles that are printed as text
 *
 * profile_text_find.c finds the extent of a table, profile_text.c reads it. Private to
 * profile_text*.c.
 */
#ifndef FORMATS_TABLES_PROFILE_TEXT_H
#define FORMATS_TABLES_PROFILE_TEXT_H

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"

struct text_dialect;

/*
 * The dialect of @line if only one tool prints such rows, so that they need no head; otherwise
 * NULL.
 */
const struct text_dialect *profile_text_alone(struct str line);
/*
 * Split a line such as "0.10s 50% | caller" at the '|'. The line is from a function's block, which
 * lists its callers and callees.
 */
bool profile_text_edge(struct str line, struct str *ret_before, struct str *ret_name);
bool profile_text_is_row(const struct text_dialect *d, struct str line);
bool profile_text_find(struct str text, size_t from, struct extent *ret);
unsigned int profile_text_probe(struct str head);

#endif
