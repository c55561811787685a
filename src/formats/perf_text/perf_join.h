/* SPDX-License-Identifier: MIT */
/*
 * perf_join.h - join rows of perf tables that a mailer wrapped
 *
 * A row is wrapped before its symbol, or at a blank inside <> or () of a name.
 */
#ifndef FORMATS_PERF_JOIN_H
#define FORMATS_PERF_JOIN_H

#include "base/str.h"
#include "formats/perf_text/perf_line.h"

struct out;

struct perf_joined {
	/* the complete row: the given line, or the lines that were joined in the buffer */
	struct str line;
	size_t bytes; /* number of bytes after the given line that belong to the row */
	/* number of lines after the given line that belong to the row; 0: the row is not wrapped */
	unsigned int n_lines;
};

/*
 * Join the row that starts with @line with its continuation lines in @rest, the text after @line.
 * @kind: kind of @line, PERF_LINE_ROW or PERF_LINE_PERCENT. Cost: reads the next line; if lines are
 * joined, copies them into @buf.
 */
struct perf_joined perf_join(struct str line, enum perf_line kind, struct str rest,
			     struct out *buf);

#endif
