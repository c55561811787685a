/* SPDX-License-Identifier: MIT */
/* confine_trees.h - paths that git reads for the files of a folder */
#ifndef CMDS_CONFINE_TREES_H
#define CMDS_CONFINE_TREES_H

#include "base/vec.h"

struct confine_trees {
	VEC(char *) paths; /* owned */
};

/* Add @path, its work tree, its repository, and git's settings. */
void confine_trees_add(struct confine_trees *t, const char *path);
/* Add @path alone. */
void confine_trees_push(struct confine_trees *t, const char *path);
void confine_trees_fini(struct confine_trees *t);

#endif
