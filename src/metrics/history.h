/* SPDX-License-Identifier: MIT */
/*
 * history.h - history metrics of functions, from git
 *
 * The versions of each file are visited from HEAD backwards. A commit is skipped if the file is
 * the same in one of its parents. If a merge commit differs from all its parents, the first
 * parent comes next. Renames are not followed. A function is a range of lines, which each
 * difference between two versions may move. A difference inside the range is a change of the
 * function.
 *
 * Authors are counted, never named. Cost per file: one tree look-up per commit and parent, and
 * one difference per version.
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
 * Set the history metrics of all functions in @t. Functions of files that are not under git keep
 * NaN; @ret_files_without counts these files. @ret_files_cut counts files whose history ends early,
 * as in a shallow clone: their functions look younger and less changed than they are. Errors:
 * ERR_UNSUPPORTED without libgit2, ERR_NOTFOUND if no file is under git.
 */
MUST_CHECK int history_measure(struct risk_tree *t, const struct history_options *options,
			       uint32_t *ret_files_without, uint32_t *ret_files_cut,
			       struct error *err);

#endif
