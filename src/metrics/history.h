/* SPDX-License-Identifier: MIT */
/*
 * history.h - history metrics of functions, from git
 *
 * The versions of each file are visited backwards from HEAD. A commit that left the file as in one
 * of its parents is skipped. A merge that changed the file against all parents is followed to its
 * first parent. Renames are not followed. A function is a range of lines, which each difference
 * shifts. A difference inside the range is a change of the function.
 *
 * Authors are counted, never named. Cost per file: one tree look-up per commit and parent, and one
 * difference per version.
 */
#ifndef METRICS_HISTORY_H
#define METRICS_HISTORY_H

#include "base/status.h"
#include "metrics/risk.h"

struct history_options {
	int64_t now;     /* the present, in seconds since 1970, UTC; 0: read the clock */
	bool has_compat; /* compute the compat metric c4 instead of the standard metrics */
};

/*
 * Fill in the history metrics of @t. Files that are not under git keep NaN; @ret_files_without
 * counts them. @ret_files_cut counts files whose history is not readable to its beginning (a
 * shallow clone), so that they look younger and less changed. Errors: ERR_UNSUPPORTED without
 * libgit2, ERR_NOTFOUND if no file is under git.
 */
MUST_CHECK int history_measure(struct risk_tree *t, const struct history_options *options,
			       uint32_t *ret_files_without, uint32_t *ret_files_cut,
			       struct error *err);

#endif
