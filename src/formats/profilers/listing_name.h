/* SPDX-License-Identifier: MIT */
/*
 * listing_name.h - the function of an annotated listing, from the sentences around it
 *
 * A quotation of perf annotate may lack the title and name the function in a sentence: "On
 * annotating seek_block(), these instructions take 30 %".
 */
#ifndef FORMATS_PROFILERS_LISTING_NAME_H
#define FORMATS_PROFILERS_LISTING_NAME_H

#include "base/str.h"

/* Whether @c may be part of the name of a function. */
bool listing_name_has(char c);
/*
 * The function that was annotated, according to the text @above before a listing: "perf annotate of
 * process_stream", "On annotating seek_block()". Empty: no function.
 */
struct str listing_name_above(struct str above);
/*
 * Whether @line, a sentence between rows, names the function of the next rows, as "For f() & g(),
 * …" does. *@ret: the function; empty: @line names several functions, so the rows may belong to any
 * of them.
 */
bool listing_name_in_prose(struct str line, struct str *ret);

#endif
