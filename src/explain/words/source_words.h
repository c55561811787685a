/* SPDX-License-Identifier: MIT */
/*
 * source_words.h - the first caller that the reader of a finding can change
 *
 * A cost in an allocator, the C library, a runtime or another library has its cause in their
 * caller. Printed stacks name the source line of each frame: the first frame outwards whose source
 * belongs to the program is the place to look at. source-words.names lists the sources of
 * libraries.
 */
#ifndef EXPLAIN_SOURCE_WORDS_H
#define EXPLAIN_SOURCE_WORDS_H

#include "core/ids.h"

#include <stdbool.h>

struct capture;
struct findings;

/* Is @sym a function of the program, by its printed source file? False: no file is printed. */
bool source_words_is_program(const struct capture *c, sym_id sym);
/*
 * Is @sym a function of a library, by its name, source file or object? False also if nothing of it
 * is known.
 */
bool source_words_is_library(const struct capture *c, sym_id sym);
/*
 * The source line of @sym in brackets, with a blank before: " (start.c:12)". Only " (start.c)" if
 * frames of the function name several lines. "": the text names no source.
 */
const char *source_words_place(struct findings *out, const struct capture *c, sym_id sym);

#endif
