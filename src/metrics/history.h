/* SPDX-License-Identifier: MIT */
/*
 * history.h - history metrics of functions, from git
 *
 * The versions of each file are visited from HEAD to older commits. A commit is skipped if one of
 * its parents has the same version of the file. After a merge commit that differs from all its
 * parents, the first parent is visited. Renames are not followed. A function is a range of lines.
 * If a difference between two versions changes lines of this range, it is a change of the function.
 * Other differences may move the range.
 *
 * Authors are counted, never named. Cost per file: one tree look-up per commit and parent, and one
 * difference per version.
 */
#ifndef METRICS_HISTORY_H
#define METRICS_HISTORY_H

#include "base/status.h"
#include "metrics/risk.h"

struct history_options {
	int64_t now;     /* current time, seconds since 1970, UTC; 0: read the clock */
	bool has_compat; /* compute the column c4 of compat.h instead of the standard metrics */
};

/*
 * Set the history metrics of all functions in @t. For files that are not under git, the metrics
 * stay NaN; @ret_files_without: number of such files. @ret_files_cut: number of files with
 * incomplete history, as in a shallow clone, whose functions appear too young and too little
 * changed. Errors: ERR_UNSUPPORTED without libgit2, ERR_NOTFOUND if no file is under git.
 */
MUST_CHECK int history_measure(struct risk_tree *t, const struct history_options *options,
			       uint32_t *ret_files_without, uint32_t *ret_files_cut,
			       struct error *err);

#endif
