/* SPDX-License-Identifier: MIT */
/*
 * source_files.h - lines of the source files that debug information names
 *
 * A file is searched at the path that the compiler recorded. If the user gave a folder of sources,
 * it is first searched there: by the whole path, then without the path's first component, without
 * the first two components, and so on. Files are opened as FILES_SOURCE. At most
 * LIMIT_LISTING_BYTES of each file are read.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_SOURCE_FILES_H
#define SYMBOLS_SOURCE_FILES_H

#include "base/str.h"

#include <stdint.h>

struct source_files;

/*
 * @folder: folder of sources; NULL: none. @root: folder that is put before recorded paths; NULL:
 * none. Both are borrowed. Owner of the result: caller, source_files_free().
 */
struct source_files *source_files_new(const char *folder, const char *root);
void source_files_free(struct source_files *s);
/*
 * Line number @line (the first is 1) of the file with the recorded path @path, without the newline.
 * @folder: where a relative @path starts; may be empty. STR_NONE: no such file or line.
 * *@ret_changed_s: time of the last change of the file, in seconds since 1970. The result is valid
 * until source_files_free(). Cost: O(files); on first use, the file is read.
 */
struct str source_files_line(struct source_files *s, struct str folder, struct str path,
			     uint32_t line, int64_t *ret_changed_s);

#endif
