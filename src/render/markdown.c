/* SPDX-License-Identifier: MIT */
#include "render/markdown.h"

#include "base/out.h"
#include "base/text/utf8.h"
#include "base/vec.h"

#define MARKDOWN_BOLD      "\x1b[1m"
#define MARKDOWN_PLAIN     "\x1b[0m"
#define MARKDOWN_CELLS_MAX 8u
/*
 * minimum width of the last column of a table; if less is available, the table is printed as
 * paragraphs
 */
#define MARKDOWN_LAST_COLUMN 24u

struct markdown {
	struct out *out;
	size_t columns;
	bool has_colour;
	bool has_gap;  /* print a blank line before the next output */
	bool is_empty; /* nothing was printed so far */
	/* text of the current paragraph; printed at the end of the paragraph */
	struct out paragraph;
	/*
	 * number of blanks before the second and later lines of the current list item; 0: the
	 * current paragraph is not a list item
	 */
	size_t hang;
	struct out mark;       /* marker of the current list item: "- ", "1. " */
	VEC(struct str) table; /* lines of the current table; printed at the end of the table */
};

/* Prepare the start of a line: print the blank line that has_gap requests. */
static void markdown_line(struct markdown *m)
{
	if (m->has_gap && !m->is_empty)
		out_char(m->out, '\n');
	m->has_gap = false;
	m->is_empty = false;
}

static void markdown_bold(const struct markdown *m, struct out *out, bool is_on)
{
	if (m->has_colour)
		out_z(out, is_on ? MARKDOWN_BOLD : MARKDOWN_PLAIN);
}

/* Append inline code without its backquotes. See markdown_write() for the style. */
static void markdown_code(const struct markdown *m, struct out *out, struct str code)
{
	bool is_quoted = !m->has_colour && str_find_char(code, ' ') < code.len &&
			 str_find_char(code, '\'') == code.len;

	markdown_bold(m, out, true);
	if (is_quoted)
		out_char(out, '\'');
	for (size_t i = 0; i < code.len; i++) {
		/* "\\|" stands for "|" inside a table cell: skip the backslash */
		if (!str_starts(str_skip(code, i), STR("\\|")))
			out_char(out, code.p[i]);
	}
	if (is_quoted)
		out_char(out, '\'');
	markdown_bold(m, out, false);
}

/*
 * If @s starts with a link, "[text](target)", append its text. If the target is a web address,
 * append it in brackets. Returns the length of the link in @s; 0: no link.
 */
static size_t markdown_link(struct out *out, struct str s)
{
	size_t middle = str_find(s, STR("]("));
	size_t end = middle + str_find_char(str_skip(s, middle), ')');
	struct str target;

	if (s.p[0] != '[' || end >= s.len)
		return 0;
	target = str_sub(s, middle + 2, end);
	out_str(out, str_sub(s, 1, middle));
	if (str_find(target, STR("//")) < target.len)
		out_printf(out, " (" STR_FMT ")", STR_ARG(target));
	return end + 1;
}

/* Length of the emphasis "*word*" at the start of @s; 0: no emphasis. */
static size_t markdown_emphasis(struct str s)
{
	size_t end = s.len > 2 && s.p[0] == '*' ? 1 + str_find_char(str_skip(s, 1), '*') : s.len;

	return end < s.len && end > 1 && s.p[1] != ' ' && s.p[end - 1] != ' ' ? end + 1 : 0;
}

/*
 * Append @s without Markdown. Code and bold text are styled; emphasis and links are appended as
 * text.
 */
static void markdown_inline(const struct markdown *m, struct out *out, struct str s)
{
	bool is_bold = false;
	/* the previous character is part of a word, so a '*' here does not start an emphasis */
	bool is_word = false;

	while (s.len) {
		size_t used = 1;
		size_t end = s.p[0] == '`' ? 1 + str_find_char(str_skip(s, 1), '`') : s.len;

		if (end < s.len) {
			markdown_code(m, out, str_sub(s, 1, end));
			used = end + 1;
		} else if (str_starts(s, STR("**"))) {
			is_bold = !is_bold;
			markdown_bold(m, out, is_bold);
			used = 2;
		} else if (!is_word && markdown_emphasis(s)) {
			used = markdown_emphasis(s);
			out_str(out, str_sub(s, 1, used - 1));
		} else if (s.p[0] == '[' && markdown_link(out, s)) {
			struct out ignored = { .fd = -1 };

			used = markdown_link(&ignored, s);
			out_fini(&ignored);
		} else if (str_starts(s, STR("\\|"))) {
			out_char(out, '|');
			used = 2;
		} else {
			out_char(out, s.p[0]);
		}
		is_word = s.p[0] != ' ' && s.p[0] != '(' && !str_starts(s, STR("**"));
		s = str_skip(s, used);
	}
}

/* Width of @word in columns, without its escape sequences. */
static size_t markdown_width(struct str word)
{
	size_t width = 0;

	while (word.len) {
		size_t escape = str_find_char(word, '\x1b');

		width += utf8_width(str_sub(word, 0, escape));
		word = str_skip(word, escape);
		word = str_skip(word, word.len ? str_find_char(word, 'm') + 1 : 0);
	}
	return width;
}

/*
 * Append the styled @text, wrapped at m->columns. @at: column at which the first line starts.
 * @from: column at which the other lines start.
 */
static void markdown_fill(struct markdown *m, struct str text, size_t at, size_t from)
{
	bool is_first = true;

	while (text.len) {
		size_t blank = str_find_char(text, ' ');
		struct str word = str_sub(text, 0, blank);
		size_t width = markdown_width(word);

		text = str_skip(text, blank + 1);
		if (!word.len)
			continue;
		if (!is_first && at + 1 + width > m->columns) {
			out_char(m->out, '\n');
			out_repeat(m->out, ' ', from);
			at = from;
		} else if (!is_first) {
			out_char(m->out, ' ');
			at++;
		}
		out_str(m->out, word);
		at += width;
		is_first = false;
	}
	out_char(m->out, '\n');
}

static void markdown_end_paragraph(struct markdown *m)
{
	struct out text = { .fd = -1 };

	if (m->paragraph.len) {
		markdown_line(m);
		markdown_inline(m, &text, out_view(&m->paragraph));
		out_str(m->out, out_view(&m->mark));
		markdown_fill(m, out_view(&text), m->mark.len, m->hang);
	}
	m->paragraph.len = 0;
	m->mark.len = 0;
	m->hang = 0;
	out_fini(&text);
}

/*
 * Split a line of a table into @cells. Returns their number; 0: this is the line of dashes below
 * the column titles.
 */
static size_t markdown_cells(struct str line, struct str *cells)
{
	size_t n = 0;
	size_t at = 1;

	if (line.len > 1 && (line.p[1] == '-' || line.p[1] == ':'))
		return 0;
	for (size_t i = 1; i < line.len && n < MARKDOWN_CELLS_MAX; i++) {
		if (line.p[i] == '|' && line.p[i - 1] != '\\') {
			cells[n++] = str_trim(str_sub(line, at, i));
			at = i + 1;
		}
	}
	return n;
}

/*
 * Print a row of a table. @widths: width of each column. @last: start of the last column, in which
 * text is wrapped.
 */
static void markdown_row(struct markdown *m, struct str line, const size_t *widths, size_t last)
{
	struct str cells[MARKDOWN_CELLS_MAX];
	size_t n = markdown_cells(line, cells);
	bool is_narrow = last + MARKDOWN_LAST_COLUMN > m->columns;
	struct out text = { .fd = -1 };

	for (size_t i = 0; i < n; i++) {
		size_t at = is_narrow && i ? 4 : 0;

		text.len = 0;
		markdown_inline(m, &text, cells[i]);
		if (is_narrow || i + 1 == n) {
			out_repeat(m->out, ' ', at);
			markdown_fill(m, out_view(&text), is_narrow ? at : last,
				      is_narrow ? 4 : last);
		} else {
			out_str(m->out, out_view(&text));
			out_repeat(m->out, ' ', widths[i] - markdown_width(out_view(&text)) + 2);
		}
	}
	out_fini(&text);
}

static void markdown_end_table(struct markdown *m)
{
	size_t widths[MARKDOWN_CELLS_MAX] = { 0 };
	struct str cells[MARKDOWN_CELLS_MAX];
	struct out text = { .fd = -1 };
	size_t n = 0;
	size_t last = 0;

	VEC_FOREACH (line, &m->table) {
		n = markdown_cells(*line, cells);
		for (size_t i = 0; i < n; i++) {
			size_t width;

			text.len = 0;
			markdown_inline(m, &text, cells[i]);
			width = markdown_width(out_view(&text));
			widths[i] = width > widths[i] ? width : widths[i];
		}
	}
	for (size_t i = 0; i + 1 < n; i++)
		last += widths[i] + 2;
	if (m->table.len)
		markdown_line(m);
	VEC_FOREACH (line, &m->table)
		markdown_row(m, *line, widths, last);
	m->table.len = 0;
	out_fini(&text);
}

static void markdown_heading(struct markdown *m, struct str line)
{
	struct out text = { .fd = -1 };

	while (line.len && line.p[0] == '#')
		line = str_skip(line, 1);
	m->has_gap = true;
	markdown_line(m);
	markdown_bold(m, &text, true);
	markdown_inline(m, &text, str_trim(line));
	markdown_bold(m, &text, false);
	markdown_fill(m, out_view(&text), 0, 0);
	m->has_gap = true;
	out_fini(&text);
}

/* Length of the list marker ("- ", "12. ") at the start of @line; 0: no list item. */
static size_t markdown_item(struct str line)
{
	size_t digits = 0;

	if (str_starts(line, STR("- ")))
		return 2;
	while (digits < line.len && line.p[digits] >= '0' && line.p[digits] <= '9')
		digits++;
	return digits && str_starts(str_skip(line, digits), STR(". ")) ? digits + 2 : 0;
}

static void markdown_text(struct markdown *m, struct str line)
{
	size_t mark = markdown_item(line);

	if (mark) {
		markdown_end_paragraph(m);
		out_str(&m->mark, str_sub(line, 0, mark));
		m->hang = mark;
		line = str_skip(line, mark);
	}
	if (m->paragraph.len)
		out_char(&m->paragraph, ' ');
	out_str(&m->paragraph, str_trim(line));
}

void markdown_write(struct out *out, struct str page, size_t columns, bool has_colour)
{
	struct markdown m = { .out = out,
			      .columns = columns,
			      .has_colour = has_colour,
			      .is_empty = true,
			      .paragraph = { .fd = -1 },
			      .mark = { .fd = -1 },
			      .table = VEC_INIT };
	bool is_verbatim = false;
	struct str line;

	while (str_line(&page, &line)) {
		bool is_fence = str_starts(line, STR("```"));

		if (is_verbatim && !is_fence) {
			markdown_line(&m);
			out_printf(out, line.len ? "  " STR_FMT "\n" : STR_FMT "\n", STR_ARG(line));
			continue;
		}
		if (!str_starts(line, STR("|")))
			markdown_end_table(&m);
		if (is_fence || str_starts(line, STR("|")) || str_starts(line, STR("#")) ||
		    !line.len)
			markdown_end_paragraph(&m);
		if (is_fence)
			is_verbatim = !is_verbatim;
		else if (str_starts(line, STR("|")))
			*VEC_PUSH(&m.table) = line;
		else if (str_starts(line, STR("#")))
			markdown_heading(&m, line);
		else if (line.len)
			markdown_text(&m, line);
		m.has_gap |= !line.len;
	}
	markdown_end_paragraph(&m);
	markdown_end_table(&m);
	out_fini(&m.paragraph);
	out_fini(&m.mark);
	VEC_FREE(&m.table);
}
