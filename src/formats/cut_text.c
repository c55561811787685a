/* SPDX-License-Identifier: MIT */
#include "formats/cut_text.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "document/document.h"
#include "formats/detect.h"

#define CUT_BYTES (4u << 20)
/* A line that stands for others, without the brackets around it. */
#define CUT_MARKS "...|....|.....|…|snip|-snip-|--snip--|-- snip --|cut|truncated|omitted|etc."

static const struct diag_kind cut_omitted = { DIAG_OMITTED_LINES, DIAG_DATALOSS,
					      "places where lines were left out" };
static const struct diag_kind cut_last = { DIAG_CUT_LINE, DIAG_DATALOSS,
					   "last lines that are cut" };

/* Does the author of the text say with @line that lines were left out? "(...)", "<snip>" */
static bool cut_is_mark(struct str line)
{
	static const struct {
		char open, close;
	} brackets[] = { { '(', ')' }, { '[', ']' }, { '<', '>' }, { '{', '}' } };
	bool is_bracketed = false;

	line = str_trim(line);
	for (size_t i = 0; i < ARRAY_LEN(brackets) && !is_bracketed; i++) {
		is_bracketed = line.len > 2 && line.p[0] == brackets[i].open &&
			       line.p[line.len - 1] == brackets[i].close;
		if (is_bracketed)
			line = str_trim(str_sub(line, 1, line.len - 1));
	}
	/* a word without brackets may be a name in the data */
	return str_glob(STR("...|....|.....|…"), line) ||
	       (is_bracketed && str_glob(STR(CUT_MARKS), line));
}

/* The open quote, or the first kind of bracket, that @line does not close; '\0': none. */
static char cut_open(struct str line)
{
	size_t round = 0, curly = 0;
	bool is_quoted = false;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.p[i];

		if (c == '\\')
			i++;
		else if (c == '"')
			is_quoted = !is_quoted;
		else if (is_quoted)
			continue;
		else if (c == '(')
			round++;
		else if (c == '{')
			curly++;
		else if (c == ')') /* not of "1)", and not of a bracket of an earlier line */
			round -= round > 0;
		else if (c == '}')
			curly -= curly > 0;
	}
	return is_quoted ? '"' : curly ? '{' : round ? '(' : '\0';
}

/*
 * Does @line, the last one, show that the text of @c is cut? Messages, names of functions and lines
 * of code have brackets that are closed elsewhere, or not at all. The line of a call that still
 * waits ends after its first arguments: only a text that the call has printed, as in "abc"..,
 * shows a cut.
 */
static bool cut_is_cut(const struct capture *c, struct str line)
{
	char open = cut_open(line);

	if (c->calls)
		return open == '"' || (open && str_ends(line, STR("\"..")));
	return (open == '"' || open == '{') && !c->code && !c->instructions &&
	       (!c->profile || c->threads);
}

/*
 * Count @kind for the captures that contain line @line of the input, with the text @text. @before:
 * the last line above it that is not blank, and that may be the last line of a capture.
 */
static void cut_count(struct dossier *d, size_t first_capture, const struct diag_kind *kind,
		      struct str text, uint32_t line, uint32_t before)
{
	for (size_t i = first_capture; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];

		if (c->first_line == 0 || line < c->first_line ||
		    (line > c->last_line && before > c->last_line))
			continue;
		if (kind == &cut_last && !cut_is_cut(c, text))
			continue;
		/* readers of calls count such places; histograms print "..." for empty rows */
		if (kind == &cut_omitted && (c->calls || c->distribution))
			continue;
		diag_count(&c->diag, kind, line);
	}
}

void cut_text_mark(struct dossier *d, const struct document *doc, const struct detection *found,
		   size_t first_capture)
{
	struct str text = doc->text;
	struct str last = STR_NONE;
	struct str line;
	uint32_t before = 0;

	if (doc->is_binary || found->is_sampled || text.len > CUT_BYTES)
		return;
	for (uint32_t n = 1; str_line(&text, &line); n++) {
		/* a fence whose other end is missing stays in the text */
		if (str_trim(line).len == 0 || str_starts(str_trim(line), STR("```")))
			continue;
		if (cut_is_mark(line))
			cut_count(d, first_capture, &cut_omitted, line, document_line(doc, n),
				  before);
		else
			last = line;
		before = document_line(doc, n);
	}
	if (cut_open(last))
		cut_count(d, first_capture, &cut_last, last, before, before);
}
