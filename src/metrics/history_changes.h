/* SPDX-License-Identifier: MIT */
/*
 * history_changes.h - C files that differ from a revision of git, with their old text
 *
 * The contents of two sets of files are compared: the files of the revision under the user's paths,
 * and the files on disk. Symbolic links, and folders whose name begins with '.', are skipped.
 */
#ifndef METRICS_HISTORY_CHANGES_H
#define METRICS_HISTORY_CHANGES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"
#include "metrics/code/c_files.h"

struct str;

struct history_changes {
	struct c_file_list after; /* paths on disk of changed and new files */
	VEC(struct str) paths;    /* paths on disk of changed and removed files */
	VEC(struct str) texts;    /* texts[i]: text of paths[i] in the revision */
	uint32_t n_same;
	struct arena arena;
};

/*
 * Compare @files with @revision. @files: all C files under the @n_inputs paths in @inputs. Owner
 * of @ret: caller, history_changes_fini(), also on error. Errors: ERR_UNSUPPORTED without
 * libgit2, ERR_NOTFOUND if the inputs are in no repository or in different ones, ERR_USAGE if the
 * revision does not exist, ERR_IO if it cannot be read. Cost: a look-up and a hash per file, and
 * a walk over the tree of the revision. Memory: the old texts.
 */
MUST_CHECK int history_changes_find(const struct c_file_list *files, char *const *inputs,
				    size_t n_inputs, const char *revision,
				    struct history_changes *ret, struct error *err);
void history_changes_fini(struct history_changes *c);

#endif
