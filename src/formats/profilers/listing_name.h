/* SPDX-License-Identifier: MIT */
/*
 * listing_name.h - the function of an annotated listing, from the sentences around it
 *
 * People quote rows of perf annotate without their title and name the function in a sentence: "On
 * annotating seek_block(), these instructions take 30 %".
 */
#ifndef FORMATS_PROFILERS_LISTING_NAME_H
#define FORMATS_PROFILERS_LISTING_NAME_H

#include "base/str.h"

/* Can @c be part of the name of a function? */
bool listing_name_has(char c);
/*
 * The function that @above, the text before a listing, says was annotated: "perf annotate of
 * process_stream", "On annotating seek_block()". Empty: none.
 */
struct str listing_name_above(struct str above);
/*
 * Does @line, a sentence between rows, begin with other functions, "For f() & g(), …"? *@ret: the
 * function; empty: there are several, so the rows below it may be of any of them.
 */
bool listing_name_in_prose(struct str line, struct str *ret);

#endif
