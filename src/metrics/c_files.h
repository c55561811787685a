/* SPDX-License-Identifier: MIT */
/*
 * c_files.h - the C files under paths
 *
 * Folders are walked in order of name, symbolic links inside them are not
 * followed (so that no cycle can be), names that begin with '.' are skipped.
 * In a folder *.c and *.h are taken; a path that is named itself is taken
 * whatever it is called. C++ by its name is counted and left out, also where it is named.
 */
#ifndef METRICS_C_FILES_H
#define METRICS_C_FILES_H

#include "base/arena.h"
#include "base/vec.h"

struct c_file_list {
	VEC(struct str) paths; /* NUL-terminated, in the arena */
	struct arena arena;
	uint32_t skipped_links;
	uint32_t skipped_cxx; /* files that are C++ by their names */
	uint32_t unreadable;  /* folders and names that could not be opened or looked at */
};

/* Errors: ERR_IO when @path does not exist or fails on the way, ERR_LIMIT past LIMIT_SOURCE_FILES.
 */
MUST_CHECK int c_file_list_add(struct c_file_list *l, const char *path, struct error *err);
void c_file_list_fini(struct c_file_list *l);

#endif
