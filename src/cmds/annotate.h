/* SPDX-License-Identifier: MIT */
/* annotate.h - the page of `assay annotate`, for the browser */
#ifndef CMDS_ANNOTATE_H
#define CMDS_ANNOTATE_H

#include "base/str.h"

#include <stdbool.h>

struct show;

/*
 * Write the listings of @function, or why there is none; STR_NONE: of the hot functions.
 * @is_whole: all rows. The session was read after session_for_instructions(). False: there is
 * nothing to show, and nothing was written.
 */
bool annotate_page(struct show *s, struct str function, bool is_whole);

#endif
