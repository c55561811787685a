/* SPDX-License-Identifier: MIT */
/*
 * profile_text.h - rows of profiles as text, for finding and for reading them
 *
 * profile_text_find.c finds an extent, profile_text.c reads it. Private to profile_text*.c.
 */
#ifndef FORMATS_TABLES_PROFILE_TEXT_H
#define FORMATS_TABLES_PROFILE_TEXT_H

#include "base/status.h"
#include "base/str.h"
#include "formats/format.h"

struct text_dialect;

/* The dialect of @line if only one tool prints such rows: it starts a table without a head. */
const struct text_dialect *profile_text_alone(struct str line);
/* A line of a block around a function: "0.10s 50% | caller", or the function itself. */
bool profile_text_edge(struct str line, struct str *ret_before, struct str *ret_name);
bool profile_text_is_row(const struct text_dialect *d, struct str line);
bool profile_text_find(struct str text, size_t from, struct extent *ret);
unsigned int profile_text_probe(struct str head);

#endif
