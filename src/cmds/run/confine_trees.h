/* SPDX-License-Identifier: MIT */
/*
 * confine_trees.h - paths that git reads for the files of a folder
 *
 * A folder may come from a stranger, and with it ".git" as a file, "commondir" and a list of
 * alternate object stores, each of which may name any path. Such a path is allowed only below a
 * tree that is allowed already, or if the repository there names this work tree in turn, as git
 * writes it for `git worktree add`. Others are recorded in @refused.
 */
#ifndef CMDS_CONFINE_TREES_H
#define CMDS_CONFINE_TREES_H

#include "base/vec.h"

struct confine_trees {
	VEC(char *) paths; /* owned */
	char *refused;     /* owned; the first path that is not allowed; NULL: none */
};

/* Add @path, its work tree, its repository, and git's settings. Reads regular files only. */
void confine_trees_add(struct confine_trees *t, const char *path);
/* Add @path alone. */
void confine_trees_push(struct confine_trees *t, const char *path);
void confine_trees_fini(struct confine_trees *t);

#endif
