/* SPDX-License-Identifier: MIT */
/*
 * mcp_paths.h - restrict file names to the directories that the user named
 *
 * All symbolic links of a path are resolved before it is compared with these directories, so no
 * link leads out of them.
 */
#ifndef CMDS_MCP_PATHS_H
#define CMDS_MCP_PATHS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct mcp_paths {
	VEC(char *) roots; /* directories: owned, absolute, without symbolic links */
};

/* Add a directory. Errors: ERR_NOTFOUND, ERR_USAGE (not a directory). */
MUST_CHECK int mcp_paths_add(struct mcp_paths *p, const char *dir, struct error *err);
void mcp_paths_fini(struct mcp_paths *p);
/*
 * Find the regular file @path, which is absolute or relative to one of the directories. *@ret_root:
 * index of its directory; *@ret: its path relative to this directory. Owner of *@ret: caller,
 * free(). Errors: ERR_USAGE if @path is empty or too long; ERR_NOTFOUND if the file does not exist
 * or is outside of the directories. The message then has names of existing files.
 */
MUST_CHECK int mcp_paths_find(const struct mcp_paths *p, struct str path, char **ret,
			      size_t *ret_root, struct error *err);

#endif
