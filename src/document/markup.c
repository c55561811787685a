/* SPDX-License-Identifier: MIT */
#include "document/markup.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "document/clean.h"
#include "document/piece.h"

#define MARKUP_ENTITY_BYTES 10u
#define MARKUP_INDENT_MAX   12u
#define MARKUP_LANGUAGE     32u /* maximum length of the name of a language, in bytes */
/* number of bytes at the start of a text in which Markdown is searched */
#define MARKUP_LOOK_BYTES (UINT64_C(1) << 22)

static bool markup_is_name(char c)
{
	return char_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

bool markup_is_html(struct str head)
{
	head = str_ltrim(str_sub(head, 0, 4096));
	return str_starts_nocase(head, STR("<!doctype html")) ||
	       str_starts_nocase(head, STR("<html")) || str_starts_nocase(head, STR("<pre>")) ||
	       str_starts_nocase(head, STR("<head>"));
}

/* Whether @word is the name of a language: letters, digits and signs, as in "c++", "text/x-log". */
static bool markup_is_language(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (!markup_is_name(word.p[i]) && !memchr("+-#._/:", word.p[i], 7))
			return false;
	}
	return word.len && word.len < MARKUP_LANGUAGE && !char_is_digit(word.p[0]);
}

/*
 * Whether @text, which follows the opening fence on its line, describes the content: "c", "{.sh}",
 * "python title=x.py". Otherwise it is the first line of the content: "[1.2s][info][gc] GC(0) Pause
 * ...".
 */
static bool markup_is_info(struct str text)
{
	struct str word;

	if (str_starts(text, STR("{")))
		return text.len < MARKUP_LANGUAGE && str_ends(text, STR("}"));
	if (!str_word(&text, &word) || !markup_is_language(word))
		return false;
	if (str_starts(str_ltrim(text), STR("{")))
		return str_ends(text, STR("}"));
	while (str_word(&text, &word)) {
		if (word.p[0] == '=' || str_find_char(word, '=') == word.len)
			return false;
	}
	return true;
}

/*
 * Length of the Markdown fence in @line; 0: the line is no fence. *@ret_indent: number of blanks
 * before the fence. *@ret_content: content of the block on the same line, directly after the fence.
 */
static size_t markup_fence(struct str line, size_t *ret_indent, struct str *ret_content)
{
	size_t i = 0;
	size_t n = 0;
	struct str text;
	char c;

	*ret_content = STR_NONE;
	while (i < line.len && i < MARKUP_INDENT_MAX && line.p[i] == ' ')
		i++;
	c = i < line.len ? line.p[i] : '\0';
	if (c != '`' && c != '~')
		return 0;
	while (i + n < line.len && line.p[i + n] == c)
		n++;
	*ret_indent = i;
	if (n < 3 || (c == '~' && i > 0))
		return 0;
	line = str_skip(line, i + n);
	text = str_trim(line);
	/* "```c" is a fence; "```c``` is code" is no fence */
	if (str_find_char(text, '`') < text.len || (c == '~' && text.len))
		return 0;
	if (text.len && !markup_is_info(text))
		*ret_content = line;
	return n;
}

/* Length of the tag at the start of @line, if markup_line() removes such tags; else 0. */
static size_t markup_tag(struct str line)
{
	static const char *const names[] = { "details", "summary", "pre", "code" };
	size_t from = line.len > 1 && line.p[1] == '/' ? 2 : 1;
	size_t end;

	if (line.len < 3 || line.p[0] != '<')
		return 0;
	end = str_find_char(str_sub(line, 0, 128), '>');
	if (end >= 128 || end >= line.len)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct str rest = str_skip(line, from);
		struct str name = str_of(names[i]);

		if (str_starts_nocase(rest, name) &&
		    (rest.p[name.len] == '>' || rest.p[name.len] == ' '))
			return end + 1;
	}
	return 0;
}

static bool markup_ends_tag(struct str line, size_t *ret_len)
{
	static const char *const tags[] = { "</details>", "</summary>", "</pre>", "</code>" };

	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (str_ends(line, str_of(tags[i]))) {
			*ret_len = line.len - strlen(tags[i]);
			return true;
		}
	}
	return false;
}

static bool markup_has_fence(struct str text, struct str needle)
{
	size_t at = 0;

	for (;;) {
		struct str before, content;
		struct str line;
		size_t nl;
		size_t indent;

		at += str_find(str_skip(text, at), needle);
		if (at >= text.len)
			return false;
		before = str_sub(text, at > MARKUP_INDENT_MAX ? at - MARKUP_INDENT_MAX - 1 : 0, at);
		nl = str_rfind_char(before, '\n');
		line = str_skip(text, at - before.len + (nl < before.len ? nl + 1 : 0));
		line = str_sub(line, 0, str_find_char(str_sub(line, 0, 256), '\n'));
		if ((nl < before.len || at == before.len) &&
		    markup_fence(str_rtrim(line), &indent, &content))
			return true;
		at += needle.len;
	}
}

bool markup_is_markdown(struct str text)
{
	static const char *const tags[] = { "<details", "<pre>", "<code>" };

	text = str_sub(text, 0, MARKUP_LOOK_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (str_contains(text, str_of(tags[i])))
			return true;
	}
	return markup_has_fence(text, STR("```")) || markup_has_fence(text, STR("~~~"));
}

struct str markup_line(struct markup_state *m, struct str line, size_t depth, uint32_t *undone)
{
	size_t indent = 0;
	struct str content;
	size_t fence = markup_fence(line, &indent, &content);
	size_t n;

	if (m->fence && depth < m->depth)
		/* the quoted text with the opening fence has ended, so the fence has ended, too */
		m->fence = 0;
	if (fence &&
	    (!m->fence || (line.p[indent] == m->mark && fence >= m->fence && content.len == 0))) {
		bool opens = !m->fence;

		*m = (struct markup_state){ opens ? fence : 0, indent, depth, line.p[indent],
					    content.len > 0 };
		*undone |= UNDONE_FENCES;
		return content;
	}
	if (m->fence) {
		/*
		 * if the content began on the line of the opening fence, it may also end on the
		 * line of the closing fence
		 */
		for (n = 0; m->is_glued && n < line.len && line.p[line.len - 1 - n] == m->mark;)
			n++;
		if (n >= m->fence) {
			line.len -= n;
			m->fence = 0;
		}
		for (n = 0; n < m->indent && n < line.len && line.p[n] == ' ';)
			n++;
		return str_skip(line, n);
	}
	for (;;) {
		struct str t = str_ltrim(line);

		n = markup_tag(t);
		if (!n)
			break;
		/* do not remove the blanks of the text after a tag */
		line = str_skip(t, n);
		*undone |= UNDONE_FENCES;
	}
	while (markup_ends_tag(line, &n)) {
		line = str_sub(line, 0, n);
		*undone |= UNDONE_FENCES;
	}
	return line;
}

/*
 * Decode the entity at the start of @s. Returns its code point; *@ret_len: its length. Returns 0 if
 * there is no entity.
 */
static uint32_t markup_entity(struct str s, size_t *ret_len)
{
	static const struct {
		const char *name;
		uint32_t code;
	} names[] = { { "lt", '<' },        { "gt", '>' },    { "amp", '&' },     { "quot", '"' },
		      { "apos", '\'' },     { "nbsp", ' ' },  { "ensp", ' ' },    { "emsp", ' ' },
		      { "hellip", 0x2026 }, { "ndash", '-' }, { "mdash", 0x2014 } };
	struct str name = str_sub(s, 1, MARKUP_ENTITY_BYTES);
	size_t end = str_find_char(name, ';');
	uint64_t code = 0;

	if (end == name.len || end == 0)
		return 0;
	*ret_len = end + 2;
	name = str_sub(name, 0, end);
	if (name.p[0] == '#') {
		name = str_skip(name, 1);
		if (name.len && (name.p[0] | 0x20) == 'x') {
			name = str_skip(name, 1);
			if (!str_hex64(&name, &code))
				return 0;
		} else if (!str_u64(&name, &code)) {
			return 0;
		}
		if (name.len || code == 0 || code > 0x10ffff)
			return 0;
		return code == 0xa0 ? ' ' : (uint32_t)code;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(name, str_of(names[i].name)))
			return names[i].code;
	}
	return 0;
}

bool markup_has_entity(struct str line)
{
	size_t n;

	for (;;) {
		size_t at = str_find_char(line, '&');

		if (at == line.len)
			return false;
		line = str_skip(line, at);
		if (markup_entity(line, &n))
			return true;
		line = str_skip(line, 1);
	}
}

void markup_entities(struct str line, struct out *out)
{
	for (;;) {
		size_t at = str_find_char(line, '&');
		size_t n = 1;
		uint32_t code;

		out_str(out, str_sub(line, 0, at));
		if (at == line.len)
			return;
		line = str_skip(line, at);
		code = markup_entity(line, &n);
		utf8_encode(out, code ? code : '&');
		line = str_skip(line, code ? n : 1);
	}
}

/* State of the conversion of an HTML page to text. */
struct markup_page {
	struct str text;
	struct piece_cursor where;
	struct out *out;
	struct line_breaks *breaks;
	size_t first; /* length of the output before the page */
	size_t limit;
	unsigned int n_pre;
	bool is_line_start; /* the current output line is empty */
	/* blanks were read but not written yet: one blank must precede the next character */
	bool has_blank;
	bool has_no_tags; /* the rest of the page has no '>', so no '<' begins a tag */
	/* a comment or script was not closed, so its content counts as text */
	bool has_no_ends;
};

static void markup_newline(struct markup_page *m)
{
	out_char(m->out, '\n');
	m->is_line_start = true;
	m->has_blank = false;
}

/* Record that the next output line comes from the line of the page that contains byte @at. */
static void markup_at(struct markup_page *m, size_t at)
{
	if (!m->is_line_start)
		return;
	piece_seek(&m->where, at);
	line_breaks_add(m->breaks, m->out->len - m->first, m->where.line);
	m->is_line_start = false;
}

static void markup_char(struct markup_page *m, size_t at, uint32_t code)
{
	if (m->n_pre) {
		if (code == '\r')
			return;
		markup_at(m, at);
		if (code == '\n')
			markup_newline(m);
		else
			utf8_encode(m->out, code);
		return;
	}
	if (code == ' ' || (code >= '\t' && code <= '\r')) {
		m->has_blank = true;
		return;
	}
	if (m->has_blank && !m->is_line_start)
		out_char(m->out, ' ');
	m->has_blank = false;
	markup_at(m, at);
	utf8_encode(m->out, code);
}

/*
 * Offset after the '>' that ends the tag at @at. A '>' in quotes does not end it. 0: there is no
 * such '>'.
 */
static size_t markup_tag_end(struct str text, size_t at)
{
	char quote = '\0';

	for (size_t i = at + 1; i < text.len; i++) {
		char c = text.p[i];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '>')
			return i + 1;
		else if ((c == '"' || c == '\'') && text.p[i - 1] == '=')
			quote = c;
	}
	return 0;
}

/* Offset of the closing tag "</name" at or after @at; the end of the text if there is none. */
static size_t markup_find_close(struct str text, size_t at, struct str name)
{
	while (at < text.len) {
		struct str rest = str_skip(text, at);
		size_t n = str_find_char(rest, '<');

		rest = str_skip(rest, n);
		at += n;
		if (rest.len > 2 && rest.p[1] == '/' && str_starts_nocase(str_skip(rest, 2), name))
			return at;
		at++;
	}
	return text.len;
}

static bool markup_is_one_of(struct str name, const char *const *names)
{
	for (; *names; names++) {
		if (str_eq_nocase(name, str_of(*names)))
			return true;
	}
	return false;
}

static bool markup_is_data_script(struct str tag)
{
	if (str_contains(tag, STR("trace-data")) || str_contains(tag, STR("text/plain")) ||
	    str_contains(tag, STR("application/text")))
		return true;
	return false;
}

/* Process the tag at offset @at. Returns the offset after it. */
static size_t markup_take_tag(struct markup_page *m, size_t at)
{
	static const char *const blocks[] = { "p",  "div", "br",         "tr",      "li",
					      "h1", "h2",  "h3",         "h4",      "h5",
					      "ul", "ol",  "table",      "hr",      "title",
					      "dt", "dd",  "blockquote", "section", NULL };
	static const char *const hidden[] = { "script", "style", NULL };
	static const char *const cells[] = { "td", "th", NULL };
	struct str rest = str_skip(m->text, at);
	bool closes = rest.len > 1 && rest.p[1] == '/';
	size_t from = closes ? 2 : 1;
	size_t n = 0;
	bool is_tag;
	size_t end;
	struct str name;

	if (!m->has_no_ends && str_starts(rest, STR("<!--"))) {
		end = str_find(rest, STR("-->"));
		if (end < rest.len)
			return at + end + 3;
		m->has_no_ends = true;
	}
	while (from + n < rest.len && n < 16 && markup_is_name(rest.p[from + n]))
		n++;
	name = str_sub(rest, from, from + n);
	is_tag = !m->has_no_tags &&
		 (n > 0 || str_starts(rest, STR("<!")) || str_starts(rest, STR("<?")));
	end = is_tag ? markup_tag_end(m->text, at) : 0;
	if (end == 0) {
		m->has_no_tags |= is_tag;
		markup_char(m, at, '<');
		return at + 1;
	}
	if (markup_is_one_of(name, hidden) && !closes && !m->has_no_ends &&
	    !markup_is_data_script(str_sub(m->text, at, end))) {
		size_t close = markup_find_close(m->text, end, name);

		if (close < m->text.len)
			return close;
		m->has_no_ends = true;
	}
	if (str_eq_nocase(name, STR("pre")) || str_eq_nocase(name, STR("script"))) {
		if (!m->is_line_start)
			markup_newline(m);
		m->n_pre = closes ? 0 : 1;
		/* like browsers, ignore a line break directly after <pre> */
		if (!closes && end < m->text.len && m->text.p[end] == '\n')
			end++;
	} else if (markup_is_one_of(name, blocks)) {
		if (!m->is_line_start || (closes && str_eq_nocase(name, STR("p")))) {
			markup_at(m, at);
			markup_newline(m);
		}
	} else if (markup_is_one_of(name, cells) && !closes && !m->is_line_start) {
		out_char(m->out, '\t');
		m->has_blank = false;
	}
	return end;
}

bool markup_html(const struct piece *p, size_t limit, struct out *out, struct line_breaks *ret)
{
	struct markup_page m = { .text = p->text,
				 .where = piece_cursor(p),
				 .out = out,
				 .breaks = ret,
				 .first = out->len,
				 .limit = limit,
				 .is_line_start = true };
	size_t i = 0;

	while (i < m.text.len) {
		size_t n = 1;

		if (out->len - m.first >= limit)
			return false;
		if (m.text.p[i] == '<') {
			i = markup_take_tag(&m, i);
			continue;
		}
		if (m.text.p[i] == '&') {
			uint32_t code = markup_entity(str_skip(m.text, i), &n);

			markup_char(&m, i, code ? code : '&');
			i += code ? n : 1;
			continue;
		}
		if ((unsigned char)m.text.p[i] < 0x80) {
			markup_char(&m, i, (unsigned char)m.text.p[i]);
			i++;
			continue;
		}
		/* UTF-8 bytes, valid or not, pass unchanged */
		markup_char(&m, i, 'x');
		out->data[out->len - 1] = m.text.p[i++];
	}
	if (!m.is_line_start)
		markup_newline(&m);
	return true;
}

#define MARKUP_FORGE STR("https://github.com/")
#define MARKUP_NAME  64u /* maximum length of a repository's name, in bytes */

/*
 * If @s starts with a link to an issue, "https://github.com/OWNER/NAME/issues/7 ...", return "7
 * ..."; otherwise empty.
 */
static struct str markup_issue(struct str s)
{
	if (!str_take(&s, MARKUP_FORGE))
		return STR_NONE;
	for (unsigned int part = 0; part < 3; part++) {
		size_t slash = str_find_char(s, '/');
		struct str word = str_sub(s, 0, slash);

		if (slash == s.len ||
		    (part == 2 && !str_eq(word, STR("issues")) && !str_eq(word, STR("pull"))))
			return STR_NONE;
		s = str_skip(s, slash + 1);
	}
	return s;
}

/*
 * If @s starts with a short link to an issue, REPOSITORY#NUMBER, return @s from the number on: "6
 * 0x55..." for "git#6 0x55...". Otherwise empty.
 */
static struct str markup_issue_of(struct str s)
{
	size_t n = 0;

	while (n < s.len && n < MARKUP_NAME &&
	       (char_is_digit(s.p[n]) || ((s.p[n] | 32) >= 'a' && (s.p[n] | 32) <= 'z') ||
		memchr("-_./", s.p[n], 4)))
		n++;
	return n && n < s.len && s.p[n] == '#' ? str_skip(s, n + 1) : STR_NONE;
}

/*
 * If @s starts with a link that GitHub made of a frame number, such as "#7", return @s from "7" on;
 * otherwise empty.
 */
static struct str markup_frame(struct str s)
{
	struct str number = markup_issue(s);
	struct str rest;
	size_t n = 0;

	if (!number.len)
		number = markup_issue_of(s);
	while (n < number.len && n < 5 && char_is_digit(number.p[n]))
		n++;
	rest = str_skip(number, n);
	if (n == 0 || n == 5 || rest.len == 0 || rest.p[0] != ' ')
		return STR_NONE;
	rest = str_ltrim(rest);
	/* a frame has an address, or a function with arguments; prose about an issue does not */
	return str_starts(rest, STR("0x")) || str_starts(rest, STR("<signal handler")) ||
			       str_find(rest, STR(" (")) == str_find_char(rest, ' ')
		       ? number
		       : STR_NONE;
}

bool markup_issue_link(struct str line, struct out *out)
{
	struct str rest = str_ltrim(line);
	struct str number = markup_frame(rest);

	if (!number.len)
		return false;
	out_str(out, str_sub(line, 0, line.len - rest.len));
	out_char(out, '#');
	out_str(out, number);
	return true;
}

bool markup_has_issue_link(struct str text)
{
	struct str line;

	if (!str_contains(text, MARKUP_FORGE) && !str_contains(text, STR("#1")))
		return false;
	while (str_line(&text, &line)) {
		if (markup_frame(str_ltrim(line)).len)
			return true;
	}
	return false;
}
