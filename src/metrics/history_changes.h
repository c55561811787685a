/* SPDX-License-Identifier: MIT */
/*
 * history_changes.h - C files that differ from a git revision, with their old text
 *
 * Compares the files on disk under the user's paths with the same files in the revision, by their
 * content. Symbolic links are skipped, and folders whose name begins with '.'.
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
 * Compare @files with @revision. @files: all C files under the @n_inputs paths in @inputs. Owner of
 * @ret: caller, history_changes_fini(), also after an error. Errors: ERR_UNSUPPORTED without
 * libgit2; ERR_NOTFOUND if the inputs are in no repository or in different repositories; ERR_USAGE
 * if the revision does not exist; ERR_IO if the revision cannot be read. Cost: a look-up and a hash
 * per file, and a walk over the tree of the revision. Memory: the old texts.
 */
MUST_CHECK int history_changes_find(const struct c_file_list *files, char *const *inputs,
				    size_t n_inputs, const char *revision,
				    struct history_changes *ret, struct error *err);
void history_changes_fini(struct history_changes *c);

#endif
