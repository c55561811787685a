/* SPDX-License-Identifier: MIT */
/*
 * frame_place.h - the source file and line that a frame of a printed stack names
 *
 * All tools print them in one form, FILE:LINE, at the end of the frame: "at lxc/start.c:12" (gdb),
 * "(Depot.java:31)" (Java), "/src/main.go:3 +0x1d" (Go), "src/rows.cxx:9:5" (sanitizers).
 */
#ifndef FORMATS_FRAME_PLACE_H
#define FORMATS_FRAME_PLACE_H

#include "base/str.h"
#include "core/ids.h"

struct symbols;

/*
 * Find the last FILE:LINE in @text. A file has an extension, which is none of an object. The value
 * of an argument names no file.
 */
bool frame_place_find(struct str text, struct str *ret_file, uint32_t *ret_line);
/*
 * Store the place that @text names as the place of the function @sym (symbol.file, symbol.line).
 * If frames of one function name several lines, its line is 0; if they name several files, the
 * file is a list of their names: "a.c, b.c".
 */
void frame_place_keep(struct symbols *symbols, sym_id sym, struct str text);

#endif
