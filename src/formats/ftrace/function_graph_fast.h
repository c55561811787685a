/* SPDX-License-Identifier: MIT */
/*
 * function_graph_fast.h - fast path for the plain lines of a large trace
 *
 * Handles calls, leaves and closing braces without arguments, in the layout of the previous line.
 * The caller reads any other line with the full parser, then calls the fast path again. Both
 * parsers give the same calls. Without the fast path, reading takes 2.6 times the CPU time
 * (measured with 200 MB of the bench's trace).
 */
#ifndef FORMATS_FUNCTION_GRAPH_FAST_H
#define FORMATS_FUNCTION_GRAPH_FAST_H

struct fg;

#define FG_FAST_MARGIN 512 /* limit of bytes that are read beyond a line */

/*
 * Read lines from @p, which is at a line start, in the layout g->columns. Text is readable up to
 * @end. Stops at a line that is not plain, or is within FG_FAST_MARGIN of @end. Returns its start.
 * Cost: about 20 ns a line.
 */
const char *fg_fast_lines(struct fg *g, const char *p, const char *end);

#endif
