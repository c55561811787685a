/* SPDX-License-Identifier: MIT */
/*
 * perf_join.h - rows of perf tables that a mailer wrapped
 *
 * Names are pushed to the next line, or break at a blank inside <> or ().
 */
#ifndef FORMATS_PERF_JOIN_H
#define FORMATS_PERF_JOIN_H

#include "base/out.h"
#include "formats/perf_text/perf_rows.h"

struct perf_joined {
	struct str line;      /* the row in one piece: the line itself, or in the buffer */
	size_t bytes;         /* of the text behind the line that were joined */
	unsigned int n_lines; /* how many lines were joined to it; 0: none */
};

/*
 * The row that begins with @line (a PERF_LINE_ROW or PERF_LINE_PERCENT), with
 * what follows in @rest joined to it as far as it belongs to it.
 * Cost: a look at the next line; a copy into @buf when something is joined.
 */
struct perf_joined perf_join(struct str line, enum perf_line kind, struct str rest,
			     struct out *buf);

#endif
