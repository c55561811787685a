/* SPDX-License-Identifier: MIT */
/* confine_trees.h - what git reads for files of a folder */
#ifndef CMDS_CONFINE_TREES_H
#define CMDS_CONFINE_TREES_H

#include "base/vec.h"

struct confine_trees {
	VEC(char *) paths; /* owned */
};

/* @path, the work tree that it is in, where its repository lies, and git's own settings. */
void confine_trees_add(struct confine_trees *t, const char *path);
/* @path alone. */
void confine_trees_push(struct confine_trees *t, const char *path);
void confine_trees_fini(struct confine_trees *t);

#endif
