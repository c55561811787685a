/* SPDX-License-Identifier: MIT */
/* annotate.h - the page of `assay annotate`, for the browser */
#ifndef CMDS_ANNOTATE_H
#define CMDS_ANNOTATE_H

#include "base/str.h"

#include <stdbool.h>

struct show;

/*
 * Write the listings of @function, or the reason why there are none. STR_NONE: write the listings
 * of the hot functions. @is_whole: write all rows, not only the rows around hot rows. The inputs
 * must have been read with the options of session_for_instructions(). False: there is nothing to
 * show, and nothing was written.
 */
bool annotate_page(struct show *s, struct str function, bool is_whole);

#endif
