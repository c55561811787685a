/* SPDX-License-Identifier: MIT */
/*
 * source_files.h - lines of the source files that debug information names
 *
 * A file is looked for at the path that the compiler recorded. If there is a folder of sources, the
 * file is first looked for below that folder: by the whole path, then by the path without its first
 * component, its first two components, and so on. Files are opened as FILES_SOURCE, and at most
 * LIMIT_LISTING_BYTES of each are read.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_SOURCE_FILES_H
#define SYMBOLS_SOURCE_FILES_H

#include "base/str.h"

#include <stdint.h>

struct source_files;

/*
 * @folder: the folder of sources; NULL: none. @root: prepended to recorded paths; NULL: none. Both
 * are borrowed. Owner: caller, source_files_free().
 */
struct source_files *source_files_new(const char *folder, const char *root);
void source_files_free(struct source_files *s);
/*
 * Line @line, counted from 1, of the file with the recorded path @path, without the newline. A
 * relative @path refers to @folder, which may be empty.
 * STR_NONE: there is no such file or line. *@ret_changed_s: time of the last change of the file,
 * in seconds since 1970. Borrowed until source_files_free(). Cost: the first use of a file reads
 * it; then O(files).
 */
struct str source_files_line(struct source_files *s, struct str folder, struct str path,
			     uint32_t line, int64_t *ret_changed_s);

#endif
