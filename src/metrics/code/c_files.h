/* SPDX-License-Identifier: MIT */
/*
 * c_files.h - find the C files under given paths
 *
 * Each folder is searched in the order of names, for *.c and *.h files. Symbolic links in folders
 * are not followed, so there are no cycles. Names that begin with '.' are skipped. A file that the
 * user named may have any name except a C++ name, such as a.cc. Files with C++ names are only
 * counted.
 */
#ifndef METRICS_C_FILES_H
#define METRICS_C_FILES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"

struct str;

struct c_file_list {
	VEC(struct str) paths; /* NUL-terminated, owned by the arena */
	struct arena arena;
	uint32_t skipped_links;
	uint32_t skipped_cxx; /* number of files left out because of a C++ name */
	/* number of folders and files that could not be read */
	uint32_t unreadable;
};

/*
 * Add the C files under @path. Errors: ERR_IO if @path does not exist or cannot be read, ERR_LIMIT
 * beyond LIMIT_SOURCE_FILES.
 */
MUST_CHECK int c_file_list_add(struct c_file_list *l, const char *path, struct error *err);
void c_file_list_fini(struct c_file_list *l);

#endif
