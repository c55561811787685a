/* SPDX-License-Identifier: MIT */
/*
 * quote.h - quote marks in replies
 *
 * Mailers add quote marks in different ways: `> > > text`, `>>> text`, `>>>text` and mixtures. A
 * mark is '>', and one blank may separate it from the next '>'. Some mailers also add a blank after
 * the last mark, which must be removed with the marks. This is decided for a whole run of quoted
 * lines, so that columns stay aligned.
 */
#ifndef DOCUMENT_QUOTE_H
#define DOCUMENT_QUOTE_H

#include "base/limits.h"
#include "base/str.h"
#include "document/piece.h"

struct quote_marks {
	size_t depth;
	/* length of the marks with the blanks between them, without a blank after the last mark */
	size_t bytes;
};

/* Parse the marks at the start of @line, at most @max_depth marks. Cost: linear in the marks. */
struct quote_marks quote_parse(struct str line, size_t max_depth);

/*
 * Return @line without at most @max_depth marks, and without a blank after them. *@ret_depth:
 * number of removed marks. In a run of quoted lines, use quote_eats_blank() to decide about the
 * blank.
 */
static inline struct str quote_strip(struct str line, size_t max_depth, size_t *ret_depth)
{
	struct quote_marks m = quote_parse(line, max_depth);

	*ret_depth = m.depth;
	line = str_skip(line, m.bytes);
	return m.depth && line.len && line.p[0] == ' ' ? str_skip(line, 1) : line;
}

/* Whether @line starts with a quote mark. */
static inline bool quote_is_marked(struct str line)
{
	return line.len && (line.p[0] == '>' || (line.p[0] == ' ' && line.len > 1 &&
						 line.p[1] == '>' && quote_parse(line, 1).depth));
}

/* A run of consecutive lines that all start with a quote mark. */
struct quote_run {
	size_t n_lines;
	/*
	 * n_blank, n_bare: indexed by quote depth. n_blank counts lines with a blank after the last
	 * mark; n_bare counts lines with text directly after the last mark.
	 */
	uint32_t n_blank[LIMIT_QUOTE_DEPTH + 1];
	uint32_t n_bare[LIMIT_QUOTE_DEPTH + 1];
};

/* Inspect the run of quoted lines that starts with the next line of @c. Cost: linear in the run. */
void quote_scan(struct piece_cursor c, struct quote_run *ret);
/*
 * Whether the mailer added the blank after the last mark, in lines of this run with quote depth
 * @depth.
 */
bool quote_eats_blank(const struct quote_run *run, size_t depth);

/*
 * Number of template brackets '<' still open at the end of @line. If a C++ name was wrapped there,
 * the next line may start with a '>' that is not a quote mark.
 */
size_t quote_open_brackets(struct str line);

/*
 * Number of consecutive lines quoted with '|', from the next line of @c on; 0: the next line starts
 * no such block. A block has three or more lines. In at least half of its lines with text, the text
 * is directly after "| ". Tables, whose lines also end in '|', and drawn trees are no such blocks.
 * @depth: number of '>' before each '|'.
 */
size_t quote_scan_bars(struct piece_cursor c, size_t depth);

#endif
