/* SPDX-License-Identifier: MIT */
/*
 * confine_trees.h - paths that git reads for the files of a folder
 *
 * A folder may come from a stranger. If its ".git" is a file, that file can name any path; so can
 * "commondir", and lists of alternate object stores. Such a path is allowed only if it is inside a
 * path that is already allowed, or if its repository names this work tree in turn, as after `git
 * worktree add`. Other paths are refused.
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
/* Allow @path alone, where its links lead now. A path that does not exist is left out. */
void confine_trees_push(struct confine_trees *t, const char *path);
void confine_trees_fini(struct confine_trees *t);

#endif
