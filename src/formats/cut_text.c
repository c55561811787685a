/* SPDX-License-Identifier: MIT */
#include "formats/cut_text.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "document/document.h"
#include "document/omission.h"
#include "formats/detect.h"

#define CUT_BYTES (4u << 20)
/*
 * A last row with missing cells is reported as truncated only if it has at least this many cells. A
 * line with one or two words may belong to another text.
 */
#define CUT_CELLS 3u

static const struct diag_kind cut_omitted = { DIAG_OMITTED_LINES, DIAG_DATALOSS,
					      "places where lines were left out" };
static const struct diag_kind cut_row = { DIAG_CUT_LINE, DIAG_DATALOSS, "last rows that are cut" };
static const struct diag_kind cut_last = { DIAG_CUT_LINE, DIAG_DATALOSS,
					   "last lines that are cut" };

/*
 * The quote or bracket that @line opens without closing it: '"', '{' or '('. If the line opens
 * several, a quote is returned rather than '{', and '{' rather than '('. '\0': none.
 */
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
		/*
		 * ignore a closing bracket whose opening bracket is in another line or missing, as
		 * in "1)"
		 */
		else if (c == ')')
			round -= round > 0;
		else if (c == '}')
			curly -= curly > 0;
	}
	return is_quoted ? '"' : curly ? '{' : round ? '(' : '\0';
}

/*
 * Does the last line of @c, @line, show that the text is truncated? An open quote or an open '{'
 * shows this. Exceptions:
 * - Calls: an open bracket counts only if the line ends with a shortened text such as "abc"..,
 * because a call that still waits is printed with its first arguments only.
 * - Code, instructions, and profiles without threads: nothing is a sign. Function names and lines
 * of code may have brackets that are closed elsewhere, or never.
 */
static bool cut_is_cut(const struct capture *c, struct str line)
{
	char open = cut_open(line);

	if (c->calls)
		return open == '"' || (open && str_ends(line, STR("\"..")));
	return (open == '"' || open == '{') && !c->code && !c->instructions &&
	       (!c->profile || c->threads);
}

enum cut_word { CUT_NONE, CUT_NUMBER, CUT_TEXT };

/* Take the next word of @s, and return its kind. */
static enum cut_word cut_next(struct str *s)
{
	struct str word;

	if (!str_word(s, &word))
		return CUT_NONE;
	if (word.len > 1 && strchr("+-<>", word.p[0]))
		word = str_skip(word, 1);
	return char_is_digit(word.p[0]) ? CUT_NUMBER : CUT_TEXT;
}

static size_t cut_words(struct str line)
{
	size_t n = 0;

	while (cut_next(&line) != CUT_NONE)
		n++;
	return n;
}

/* Does @row have @n cells, all of them numbers except the first? */
static bool cut_is_row(struct str row, size_t n)
{
	(void)cut_next(&row);
	while (--n > 0) {
		if (cut_next(&row) != CUT_NUMBER)
			return false;
	}
	return cut_next(&row) == CUT_NONE;
}

/*
 * Does @line, the last line, end inside a row of a table? It does if the two previous rows have
 * equally many cells, all numbers except the first, and @line has fewer cells. It must also be
 * shorter, because a row with an empty cell has fewer cells, too. Lines of totals are excluded.
 * @above: the two previous rows, the nearest first.
 */
static bool cut_is_short(struct str line, const struct str above[2])
{
	size_t n = cut_words(line);
	size_t all = cut_words(above[0]);
	struct str row = above[0];
	struct str rest = line;

	return n >= CUT_CELLS && n < all && cut_is_row(above[0], all) &&
	       cut_is_row(above[1], all) && cut_is_row(line, n) &&
	       cut_next(&rest) == cut_next(&row) && str_rtrim(line).len < str_rtrim(above[0]).len &&
	       str_rtrim(line).len < str_rtrim(above[1]).len &&
	       !str_glob(STR("*otal*|*TOTAL*|*um:*|Sum *|*verage*|All *|all *"), str_trim(line));
}

/*
 * Is @c a table whose rows all have the same number of cells? The percentiles of fio, for example,
 * end with a shorter row.
 */
static bool cut_is_table(const struct capture *c)
{
	return (c->counters || c->metrics) && !c->distribution && !c->calls && !c->records &&
	       !c->threads;
}

/*
 * Count @kind in the diag of each capture that contains line @line of the input. A capture also
 * counts if only blank lines are between its end and @line. @text: the text of line @line. @before:
 * number of the last non-blank line before @line.
 */
static void cut_count(struct dossier *d, size_t first_capture, const struct diag_kind *kind,
		      struct str text, uint32_t line, uint32_t before)
{
	for (size_t i = first_capture; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];

		if (c->first_line == 0 || line < c->first_line ||
		    (line > c->last_line && before > c->last_line))
			continue;
		if ((kind == &cut_last && !cut_is_cut(c, text)) ||
		    (kind == &cut_row && !cut_is_table(c)))
			continue;
		/*
		 * Do not count omitted lines in calls, because their readers count these lines
		 * themselves. Do not count them in histograms, because "..." there stands for empty
		 * rows.
		 */
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
	/* the two lines before `last`, the nearest first */
	struct str above[2] = { STR_NONE, STR_NONE };
	struct str line;
	uint32_t before = 0, before_last = 0;

	if (doc->is_binary || found->is_sampled || text.len > CUT_BYTES)
		return;
	for (uint32_t n = 1; str_line(&text, &line); n++) {
		/* "```" remains in the text if the other end of the code block is missing */
		if (str_trim(line).len == 0 || str_starts(str_trim(line), STR("```")))
			continue;
		if (omission_is_mark(line)) {
			cut_count(d, first_capture, &cut_omitted, line, document_line(doc, n),
				  before);
		} else {
			above[1] = above[0];
			above[0] = last;
			last = line;
			before_last = before;
		}
		before = document_line(doc, n);
	}
	if (cut_open(last))
		cut_count(d, first_capture, &cut_last, last, before, before);
	else if (cut_is_short(last, above))
		cut_count(d, first_capture, &cut_row, last, before, before_last);
}
