/* SPDX-License-Identifier: MIT */
/*
 * listing_name.h - find the function of a code listing in the sentences around it
 *
 * A quotation of perf annotate may lack the title and name the function in a sentence: "On
 * annotating seek_block(), these instructions take 30 %".
 */
#ifndef FORMATS_PROFILERS_LISTING_NAME_H
#define FORMATS_PROFILERS_LISTING_NAME_H

#include "base/str.h"

/* Whether @c may be a character of a function's name. */
bool listing_name_has(char c);
/*
 * The function that the text @above, before a listing, names: "perf annotate of process_stream",
 * "On annotating seek_block()". Empty: none.
 */
struct str listing_name_above(struct str above);
/*
 * Whether @line, a sentence between rows, names the function of the next rows: "For f() & g(), …".
 * *@ret: the function; empty: @line names several functions, and the rows may belong to any of
 * them.
 */
bool listing_name_in_prose(struct str line, struct str *ret);

#endif
