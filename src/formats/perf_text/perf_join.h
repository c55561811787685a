/* SPDX-License-Identifier: MIT */
/*
 * perf_join.h - rows of perf tables that a mailer wrapped
 *
 * Wrapped names are on the next line, or break at a blank inside <> or ().
 */
#ifndef FORMATS_PERF_JOIN_H
#define FORMATS_PERF_JOIN_H

#include "base/str.h"
#include "formats/perf_text/perf_line.h"

struct out;

struct perf_joined {
	struct str line;      /* the complete row: the line itself, or in the buffer */
	size_t bytes;         /* joined bytes after the line */
	unsigned int n_lines; /* joined lines; 0: none */
};

/*
 * The row that starts with @line (a PERF_LINE_ROW or PERF_LINE_PERCENT), joined with its
 * continuation in @rest. Cost: a look at the next line; a copy into @buf if lines are joined.
 */
struct perf_joined perf_join(struct str line, enum perf_line kind, struct str rest,
			     struct out *buf);

#endif
