/* SPDX-License-Identifier: MIT */
/*
 * history_changes.h - which C files differ from a revision, and their text there
 *
 * Compared by content. What is under the inputs is compared, in the revision as on
 * disk: folders whose name begins with '.' and links are left out in both.
 */
#ifndef METRICS_HISTORY_CHANGES_H
#define METRICS_HISTORY_CHANGES_H

#include "metrics/c_files.h"

struct history_changes {
	struct c_file_list after; /* changed and new files, on disk */
	VEC(struct str) paths;    /* changed and removed files, named as they are on disk */
	VEC(struct str) texts;    /* of the revision */
	uint32_t n_same;
	struct arena arena;
};

/*
 * @files: those under the @n_inputs paths. Owner of @ret: caller, history_changes_fini(),
 * also on error. Errors: ERR_UNSUPPORTED without libgit2, ERR_NOTFOUND where the inputs are
 * in no repository or not in the same one, ERR_USAGE where it has no such revision.
 * Cost: a look-up and a hash a file; memory: the texts.
 */
MUST_CHECK int history_changes_find(const struct c_file_list *files, char *const *inputs,
				    size_t n_inputs, const char *revision,
				    struct history_changes *ret, struct error *err);
void history_changes_fini(struct history_changes *c);

#endif
