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
	struct str line;      /* the complete row: the given line, or a view of the buffer */
	size_t bytes;         /* number of bytes joined from the text after the line */
	unsigned int n_lines; /* number of lines joined from that text; 0: the row is not wrapped */
};

/*
 * The row that starts with @line, joined with its wrapped end at the start of @rest. @kind of
 * @line: PERF_LINE_ROW or PERF_LINE_PERCENT. Cost: a look at the next line, and a copy into @buf if
 * lines are joined.
 */
struct perf_joined perf_join(struct str line, enum perf_line kind, struct str rest,
			     struct out *buf);

#endif
