/* SPDX-License-Identifier: MIT */
/*
 * confine_trees.h - paths that git reads for the files of a folder
 *
 * A folder may come from a stranger. If its ".git" is a file, the file can refer to any path. The
 * same is true of "commondir" and of lists of alternate object stores. Such a path is allowed only
 * if it is inside an allowed path, or if its repository refers back to this work tree, as after
 * `git worktree add`. Other paths are refused.
 */
#ifndef CMDS_CONFINE_TREES_H
#define CMDS_CONFINE_TREES_H

#include "base/vec.h"

struct confine_trees {
	VEC(char *) paths; /* allowed paths, without symbolic links; owned */
	char *refused;     /* the first path that was refused, owned; NULL: none */
};

/*
 * Allow reading @path, its work tree, its repository, and git's settings. Reads only regular files.
 */
void confine_trees_add(struct confine_trees *t, const char *path);
/* Allow @path only, with its symbolic links resolved now. A path that does not exist is ignored. */
void confine_trees_push(struct confine_trees *t, const char *path);
void confine_trees_fini(struct confine_trees *t);

#endif
