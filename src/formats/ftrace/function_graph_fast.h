/* SPDX-License-Identifier: MIT */
/*
 * function_graph_fast.h - the plain lines of a large trace, read in place
 *
 * Calls, leaves and closing braces in the layout of the line before, without
 * arguments. Anything else is left to the caller, who reads one line the
 * thorough way and comes back. The result is the same as without it.
 */
#ifndef FORMATS_FUNCTION_GRAPH_FAST_H
#define FORMATS_FUNCTION_GRAPH_FAST_H

#include "formats/ftrace/function_graph_build.h"

#define FG_FAST_MARGIN 512 /* bytes that a line may be read ahead */

/*
 * Read lines from @p (a line start) on; @end is where text may be read up to.
 * Returns the start of the first line that was not read: one that is not plain,
 * or the last ones before @end. Layout: g->columns. Cost: about 20 ns a line.
 */
const char *fg_fast_lines(struct fg *g, const char *p, const char *end);

#endif
