/* SPDX-License-Identifier: MIT */
/*
 * mcp_paths.h - files below the directories that the user named, and no others
 *
 * A path is resolved with all its symbolic links before it is compared, so none leads out.
 */
#ifndef CMDS_MCP_PATHS_H
#define CMDS_MCP_PATHS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct mcp_paths {
	VEC(char *) roots; /* owned, absolute, without symbolic links */
};

/* Errors: ERR_NOTFOUND, ERR_USAGE (no directory). */
MUST_CHECK int mcp_paths_add(struct mcp_paths *p, const char *dir, struct error *err);
void mcp_paths_fini(struct mcp_paths *p);
/*
 * Find the regular file @path: absolute, or below one of the directories. @ret is relative to
 * directory @ret_root. Owner: caller, free(). Errors: ERR_NOTFOUND, naming files that are there;
 * ERR_PERM; ERR_USAGE.
 */
MUST_CHECK int mcp_paths_find(const struct mcp_paths *p, struct str path, char **ret,
			      size_t *ret_root, struct error *err);

#endif
