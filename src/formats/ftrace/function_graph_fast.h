/* SPDX-License-Identifier: MIT */
/*
 * function_graph_fast.h - fast path for the plain lines of a large trace
 *
 * A plain line is a call, a leaf (a call without callees) or a closing brace. It has no arguments,
 * and the same columns as the previous line. The caller reads any other line with fg_line_parse(),
 * then calls the fast path again. Both parsers give the same calls. Without the fast path, reading
 * takes 2.6 times the CPU time (measured with a trace of 200 MB).
 */
#ifndef FORMATS_FUNCTION_GRAPH_FAST_H
#define FORMATS_FUNCTION_GRAPH_FAST_H

struct fg;

#define FG_FAST_MARGIN 512 /* maximum number of bytes that are read after the end of a line */

/*
 * Read lines from @p on, which must be the start of a line. The lines must have the columns
 * g->columns. Text is readable up to @end. Stops at a line that is not plain, or that is closer to
 * @end than FG_FAST_MARGIN. Returns the start of that line. Cost: about 20 ns per line.
 */
const char *fg_fast_lines(struct fg *g, const char *p, const char *end);

#endif
