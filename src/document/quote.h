/* SPDX-License-Identifier: MIT */
/*
 * quote.h - the marks that replies put before the lines they quote
 *
 * Mailers write `> > > text`, `>>> text`, `>>>text` and every mix, since each
 * adds its own to what it got. What counts as mark: '>' and the one blank
 * between two of them. The blank behind the last mark belongs to the quoting
 * too, but not all mailers add one: that is decided for a run of quoted lines,
 * so that columns stay where they were against each other.
 */
#ifndef DOCUMENT_QUOTE_H
#define DOCUMENT_QUOTE_H

#include "base/limits.h"
#include "document/linemap.h"

struct quote_marks {
	size_t depth;
	size_t bytes; /* up to and with the last mark */
};

/* The marks at the start of @line, at most @max_depth of them. Cost: the marks. */
struct quote_marks quote_parse(struct str line, size_t max_depth);

/* Is @line the start of something quoted, by its first bytes? */
static inline bool quote_is_marked(struct str line)
{
	return line.len && (line.p[0] == '>' || (line.p[0] == ' ' && line.len > 1 &&
						 line.p[1] == '>' && quote_parse(line, 1).depth));
}

/* A stretch of lines that all begin with a mark. */
struct quote_run {
	size_t n_lines;
	/* by depth: lines with a blank behind the last mark, with text right behind it */
	uint32_t n_blank[LIMIT_QUOTE_DEPTH + 1];
	uint32_t n_bare[LIMIT_QUOTE_DEPTH + 1];
};

/* Look at the run that starts with the next line of @c. Cost: the run. */
void quote_scan(struct piece_cursor c, struct quote_run *ret);
/* Does a blank behind the marks belong to the quoting, at @depth of this run? */
bool quote_eats_blank(const struct quote_run *run, size_t depth);

/*
 * How many '<' of templates are open at the end of @line: a wrapped C++ name
 * goes on with '>' at the start of the next line, which is then no mark.
 */
size_t quote_open_brackets(struct str line);

/* Is it a '|' block: three or more lines from @c on that begin "| " at @depth. */
size_t quote_scan_bars(struct piece_cursor c, size_t depth);

#endif
