/* SPDX-License-Identifier: MIT */
/*
 * quote.h - quote marks in replies
 *
 * Mailers write `> > > text`, `>>> text`, `>>>text` and mixtures, because each adds its own
 * marks. A mark is '>' with one optional blank before the next '>'. The blank after the last
 * mark belongs to the quoting too, but not all mailers add it. This is decided per run of
 * quoted lines, so that columns stay aligned.
 */
#ifndef DOCUMENT_QUOTE_H
#define DOCUMENT_QUOTE_H

#include "base/limits.h"
#include "base/str.h"
#include "document/linemap.h"

struct quote_marks {
	size_t depth;
	size_t bytes; /* bytes up to the end of the last mark */
};

/* Parse the marks at the start of @line, at most @max_depth. Cost: linear in the marks. */
struct quote_marks quote_parse(struct str line, size_t max_depth);

/* Whether @line starts with a quote mark. */
static inline bool quote_is_marked(struct str line)
{
	return line.len && (line.p[0] == '>' || (line.p[0] == ' ' && line.len > 1 &&
						 line.p[1] == '>' && quote_parse(line, 1).depth));
}

/* A run of lines that all start with a mark. */
struct quote_run {
	size_t n_lines;
	/*
	 * by depth: number of lines with a blank after the last mark, and with text directly
	 * after it
	 */
	uint32_t n_blank[LIMIT_QUOTE_DEPTH + 1];
	uint32_t n_bare[LIMIT_QUOTE_DEPTH + 1];
};

/* Inspect the run that starts with the next line of @c. Cost: linear in the run. */
void quote_scan(struct piece_cursor c, struct quote_run *ret);
/* Whether a blank after the marks belongs to the quoting, at @depth of this run. */
bool quote_eats_blank(const struct quote_run *run, size_t depth);

/*
 * Number of template '<' open at the end of @line. A wrapped C++ name then continues with '>'
 * at the start of the next line, which is not a quote mark.
 */
size_t quote_open_brackets(struct str line);

/* Length of a '|' block: three or more lines from @c on that start with "| " at @depth; 0: none. */
size_t quote_scan_bars(struct piece_cursor c, size_t depth);

#endif
