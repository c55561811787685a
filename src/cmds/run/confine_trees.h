/* SPDX-License-Identifier: MIT */
/*
 * confine_trees.h - paths that git reads for the files of a folder
 *
 * A folder may come from a stranger. Its ".git" may be a file, and "commondir" and lists of
 * alternate object stores may name any path. Such a path is allowed in two cases only. It is inside
 * a path that is already allowed, or its repository names this work tree in turn, as `git worktree
 * add` makes it. Other paths are refused.
 */
#ifndef CMDS_CONFINE_TREES_H
#define CMDS_CONFINE_TREES_H

#include "base/vec.h"

struct confine_trees {
	VEC(char *) paths; /* allowed paths; owned */
	char *refused;     /* the first path that was not allowed, owned; NULL: none */
};

/* Allow @path, its work tree, its repository, and git's settings. Reads regular files only. */
void confine_trees_add(struct confine_trees *t, const char *path);
/* Allow @path alone. */
void confine_trees_push(struct confine_trees *t, const char *path);
void confine_trees_fini(struct confine_trees *t);

#endif
