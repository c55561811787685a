/* SPDX-License-Identifier: MIT */
/*
 * c_files.h - the C files under paths
 *
 * Folders are walked in order of names. Symbolic links inside them are not followed, which
 * excludes cycles; names that begin with '.' are skipped. In folders *.c and *.h count; a path
 * given by the user is taken under any name. C++ files, by name, are counted and left out, even
 * if given by the user.
 */
#ifndef METRICS_C_FILES_H
#define METRICS_C_FILES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"

struct str;

struct c_file_list {
	VEC(struct str) paths; /* NUL-terminated, in the arena */
	struct arena arena;
	uint32_t skipped_links;
	uint32_t skipped_cxx; /* files with names of C++ */
	uint32_t unreadable;  /* folders and files that could not be opened or inspected */
};

/*
 * Add the files under @path. Errors: ERR_IO if @path does not exist or fails on the way,
 * ERR_LIMIT past LIMIT_SOURCE_FILES.
 */
MUST_CHECK int c_file_list_add(struct c_file_list *l, const char *path, struct error *err);
void c_file_list_fini(struct c_file_list *l);

#endif
