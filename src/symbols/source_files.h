/* SPDX-License-Identifier: MIT */
/*
 * source_files.h - lines of the source files that debug information names
 *
 * A file is looked for at the path that the compiler recorded. With a folder of sources, it is
 * looked for below that folder first: as the whole path, then without its first components, one
 * after another. Files are opened as FILES_SOURCE, and at most LIMIT_LISTING_BYTES of each are
 * read.
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
