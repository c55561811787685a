/* SPDX-License-Identifier: MIT */
/*
 * history.h - what git says about the functions of a tree
 *
 * For each file its versions are walked from HEAD backwards: a commit that left
 * the file as one of its parents had it is passed over, a merge that changed it
 * against all parents is followed to the first. Renames are not followed. A
 * function is a range of lines that each difference moves; a difference inside
 * of it is a change of the function.
 *
 * Authors are counted, never named. Cost: per file, one tree look-up a commit
 * and one difference a version.
 */
#ifndef METRICS_HISTORY_H
#define METRICS_HISTORY_H

#include "metrics/risk.h"

struct history_options {
	int64_t now;     /* seconds since 1970, UTC; 0: the clock */
	bool has_compat; /* c4 instead of the standard metrics */
};

/*
 * Fill the metrics of history of @t. What is not under git keeps NaN;
 * @ret_files_without counts such files; @ret_files_cut those whose history cannot be
 * read to its beginning (a shallow clone), so that it looks younger and smaller.
 * Errors: ERR_UNSUPPORTED without libgit2, ERR_NOTFOUND when no file is under git.
 */
MUST_CHECK int history_measure(struct risk_tree *t, const struct history_options *options,
			       uint32_t *ret_files_without, uint32_t *ret_files_cut,
			       struct error *err);

#endif
