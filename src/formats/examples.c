/* SPDX-License-Identifier: MIT */
#include "formats/examples.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "document/document.h"

#define EXAMPLES_BYTES (4u << 20)
#define EXAMPLES_MAX   1024u /* maximum number of ranges of example lines in one input */
/*
 * Maximum length of a title of a manual page, which is in capital letters: "EXAMPLES". A longer
 * line of capital letters is usually the line of column titles above a table.
 */
#define EXAMPLES_TITLE_BYTES 40u
/*
 * Minimum number of placeholders, such as <pid>, in a line that is a template. A line with only one
 * placeholder may be real: it may contain a C++ type, or the tool prints such a word.
 */
#define EXAMPLES_PLACEHOLDERS 2u

/* A range of example lines whose last line is not known yet. */
struct examples_open {
	struct dossier_example range;
	bool is_open;
};

struct examples {
	struct dossier_input *in;
	/*
	 * the examples from a heading "Example" to the next heading of the same or a higher level
	 */
	struct examples_open section;
	struct examples_open paragraph; /* examples from a line "Example:" to the next blank line */
	struct examples_open literal;   /* the examples in the current string of source code */
	char quote;                     /* the quote character that ends `literal` */
	/* number of '#' in the heading that began `section`; 0: the title of a manual page */
	unsigned int level;
	/* number of removed and added lines that still follow in the current hunk of a patch */
	uint64_t removed, added;
	uint32_t hunk;  /* line number of the hunk's header "@@ ... @@" */
	bool is_fenced; /* the current line is between two ``` lines */
	bool was_blank; /* the previous line was blank */
};

static void examples_add(struct examples *e, struct dossier_example range)
{
	if (e->in->examples.len < EXAMPLES_MAX && range.first <= range.last)
		*VEC_PUSH(&e->in->examples) = range;
}

static void examples_open(struct examples_open *o, enum example_kind kind, uint32_t line)
{
	o->is_open = true;
	o->range = (struct dossier_example){ .first = line, .line = line, .kind = kind };
}

static void examples_close(struct examples *e, struct examples_open *o, uint32_t last)
{
	if (!o->is_open)
		return;
	o->is_open = false;
	o->range.last = last;
	examples_add(e, o->range);
}

/* Is @title "Example", "Examples" or "Example:", with or without marks for bold or italic text? */
static bool examples_is_title(struct str title)
{
	title = str_trim(title);
	while (title.len && (title.p[title.len - 1] == ':' || title.p[title.len - 1] == '*'))
		title.len--;
	while (title.len && title.p[0] == '*')
		title = str_skip(title, 1);
	return str_eq_nocase(title, STR("example")) || str_eq_nocase(title, STR("examples"));
}

/* Take the '#' of a Markdown heading and return their number; 0: no heading. */
static unsigned int examples_level(struct str *line)
{
	unsigned int n = 0;

	while (n < line->len && line->p[n] == '#')
		n++;
	if (!n || n == line->len || !char_is_blank(line->p[n]))
		return 0;
	*line = str_skip(*line, n);
	return n;
}

/*
 * Is @line a title of a manual page? It begins in the first column, and has only capital letters
 * and blanks.
 */
static bool examples_is_capitals(struct str line)
{
	if (!line.len || line.len > EXAMPLES_TITLE_BYTES)
		return false;
	for (size_t i = 0; i < line.len; i++) {
		if ((line.p[i] < 'A' || line.p[i] > 'Z') && (line.p[i] != ' ' || !i))
			return false;
	}
	return true;
}

/*
 * If @line is a title, it ends the current section or paragraph of examples, or begins a new one.
 */
static void examples_titles(struct examples *e, struct str line, uint32_t number)
{
	struct str rest = line;
	unsigned int level = e->was_blank && !e->is_fenced ? examples_level(&rest) : 0;

	if (!level && !examples_is_capitals(line)) {
		if (examples_is_title(line) && !e->section.is_open)
			examples_open(&e->paragraph, EXAMPLE_TITLE, number);
		return;
	}
	/*
	 * A heading of a lower level is part of the section. A line such as "# Overhead" after a
	 * blank line is treated as a heading, although it may be output of perf.
	 */
	if (!e->section.is_open || level <= e->level)
		examples_close(e, &e->section, number - 1);
	if (!e->section.is_open && examples_is_title(rest)) {
		examples_open(&e->section, EXAMPLE_TITLE, number);
		e->level = level;
	}
}

/*
 * Take the range of one side of a hunk header, such as "-12,7". *@ret: its number of lines, which
 * is 7 for "-12,7" and 1 for "+12".
 */
static bool examples_side(struct str *s, struct str sign, uint64_t *ret)
{
	uint64_t at;

	*ret = 1;
	if (!str_take(s, sign) || !str_u64(s, &at))
		return false;
	return !str_take(s, STR(",")) || str_u64(s, ret);
}

static bool examples_is_hunk(struct str line, uint64_t *removed, uint64_t *added)
{
	return str_take(&line, STR("@@ ")) && examples_side(&line, STR("-"), removed) &&
	       examples_side(&line, STR(" +"), added) && str_starts(line, STR(" @@"));
}

static void examples_patch(struct examples *e, struct str line, uint32_t number)
{
	char mark = line.len ? line.p[0] : ' ';

	if (!e->removed && !e->added) {
		if (examples_is_hunk(line, &e->removed, &e->added))
			e->hunk = number;
		return;
	}
	if (mark != '+' && mark != '-' && mark != ' ' && mark != '\\') {
		e->removed = 0;
		e->added = 0;
		return;
	}
	e->removed -= mark != '+' && mark != '\\' && e->removed;
	e->added -= mark != '-' && mark != '\\' && e->added;
	examples_add(e, (struct dossier_example){ number, number, e->hunk, EXAMPLE_PATCH });
}

/*
 * Does @line begin a string of several lines, by a backquote ("x = `") or by three quotes? Returns
 * the quote character; 0: no.
 */
static char examples_quote(struct str line)
{
	char quote = line.len ? line.p[line.len - 1] : 0;
	size_t n = quote == '`' ? 1 : 3;

	if ((quote != '`' && quote != '"' && quote != '\'') || line.len <= n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (line.p[line.len - 1 - i] != quote)
			return 0;
	}
	line = str_rtrim(str_sub(line, 0, line.len - n));
	return line.len && (str_contains(STR("=(,"), str_skip(line, line.len - 1)) ||
			    str_ends(line, STR("return")))
		       ? quote
		       : 0;
}

static bool examples_ends_quote(struct str line, char quote)
{
	size_t n = quote == '`' ? 1 : 3;

	if (line.len < n || (line.len > n && str_contains(STR("`\"'"), str_sub(line, n, n + 1))))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (line.p[i] != quote)
			return false;
	}
	return true;
}

static void examples_source(struct examples *e, struct str line, uint32_t number)
{
	char quote;

	if (e->literal.is_open) {
		if (examples_ends_quote(line, e->quote))
			examples_close(e, &e->literal, number);
		return;
	}
	quote = examples_quote(line);
	if (quote) {
		examples_open(&e->literal, EXAMPLE_SOURCE, number);
		e->quote = quote;
	}
}

/* Is @line a template of a message, with at least two placeholders such as <pid>? */
static bool examples_is_template(struct str line)
{
	static const char *const words[] = { "<pid>",  "<tid>",    "<comm>", "<name>",
					     "<n>",    "<number>", "<N>",    "<time>",
					     "<task>", "<addr>",   "<PID>",  "<seconds>" };
	unsigned int n = 0;

	for (size_t at = str_find_char(line, '<'); at < line.len; at++) {
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			n += str_starts(str_skip(line, at), str_of(words[i]));
	}
	return n >= EXAMPLES_PLACEHOLDERS;
}

static void examples_line(struct examples *e, struct str line, uint32_t number)
{
	struct str words = str_trim(line);

	if (str_starts(words, STR("```")))
		e->is_fenced = !e->is_fenced;
	examples_titles(e, str_rtrim(line), number);
	examples_patch(e, line, number);
	examples_source(e, words, number);
	if (examples_is_template(words))
		examples_add(e,
			     (struct dossier_example){ number, number, number, EXAMPLE_TEMPLATE });
	if (!words.len && !e->was_blank && e->paragraph.range.first != number)
		examples_close(e, &e->paragraph, number);
	e->was_blank = !words.len || e->paragraph.range.first == number;
}

void examples_mark(struct dossier_input *in, const struct document *doc)
{
	struct examples e = { .in = in, .was_blank = true };
	struct str text = doc->text;
	uint32_t number = 0;
	struct str line;

	if (doc->is_binary || text.len > EXAMPLES_BYTES)
		return;
	for (uint32_t clean = 1; str_line(&text, &line); clean++) {
		number = document_line(doc, clean);
		examples_line(&e, line, number);
	}
	examples_close(&e, &e.section, number);
	examples_close(&e, &e.paragraph, number);
}
