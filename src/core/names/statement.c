/* SPDX-License-Identifier: MIT */
#include "core/names/statement.h"

#include "base/status.h"
#include "base/str.h"

struct shape {
	char *out;
	size_t n;
	size_t most;
};

static bool shape_is_name(char c)
{
	return char_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static void shape_put(struct shape *s, char c)
{
	if (s->n < s->most)
		s->out[s->n++] = c;
}

/*
 * Call this after the end of a row of literals, which is written as "(?)". If the row before it is
 * "(?)", too, remove one of both: "VALUES (1, 2), (3, 4)" becomes "VALUES (?)".
 */
static void shape_end_row(struct shape *s)
{
	if (str_ends((struct str){ s->out, s->n }, STR("(?), (?)")))
		s->n -= 5;
	else if (str_ends((struct str){ s->out, s->n }, STR("(?),(?)")))
		s->n -= 4;
}

/*
 * Append '?' for a literal. A whole list of literals becomes one '?': "1, 2, 3" becomes "?".
 */
static void shape_put_literal(struct shape *s)
{
	if (str_ends((struct str){ s->out, s->n }, STR("?, ")))
		s->n -= 2;
	else if (str_ends((struct str){ s->out, s->n }, STR("?,")))
		s->n--;
	else
		shape_put(s, '?');
}

/* Length of the string that begins at @at, with both quotes. */
static size_t shape_string(struct str text, size_t at)
{
	char quote = text.p[at];
	size_t n = 1;

	for (; at + n < text.len; n++) {
		if (text.p[at + n] == '\\')
			n++;
		else if (text.p[at + n] != quote)
			continue;
		else if (at + n + 1 < text.len && text.p[at + n + 1] == quote)
			n++;
		else
			return n + 1;
	}
	return text.len - at;
}

/* Length of the number, or of the parameter such as "$1", at @at; 0: there is none. */
static size_t shape_number(struct str text, size_t at)
{
	bool is_parameter = text.p[at] == '$';
	size_t n = 1;

	if (at && shape_is_name(text.p[at - 1]))
		return 0;
	if (is_parameter ? at + 1 >= text.len || !char_is_digit(text.p[at + 1])
			 : !char_is_digit(text.p[at]))
		return 0;
	while (at + n < text.len && (shape_is_name(text.p[at + n]) || text.p[at + n] == '.'))
		n++;
	return n;
}

/* Length of the comment at @at; 0: there is none. */
static size_t shape_comment(struct str text, size_t at)
{
	struct str rest = str_skip(text, at);
	size_t end;

	if (str_starts(rest, STR("/*"))) {
		end = 2 + str_find(str_skip(rest, 2), STR("*/")) + 2;
		return end < rest.len ? end : rest.len;
	}
	return str_starts(rest, STR("-- ")) ? str_find_char(rest, '\n') : 0;
}

static bool shape_is_quote(char c, enum statement_language language)
{
	return (c == '\'' && language != STATEMENT_JSON) || (c == '"' && language != STATEMENT_SQL);
}

/*
 * Append the string of @bytes bytes at offset @at without its quotes, if it is a key, because ':'
 * follows. Otherwise return false.
 */
static bool shape_put_key(struct shape *s, struct str text, size_t at, size_t bytes)
{
	if (bytes < 2 || !str_starts(str_ltrim(str_skip(text, at + bytes)), STR(":")))
		return false;
	for (size_t i = at + 1; i + 1 < at + bytes; i++)
		shape_put(s, char_is_space(text.p[i]) ? ' ' : text.p[i]);
	return true;
}

size_t statement_shape(struct str text, enum statement_language language,
		       char buffer[STATEMENT_BYTES], size_t n, size_t most)
{
	struct shape s = { buffer, n, most };
	bool is_json = language == STATEMENT_JSON;

	text = str_trim(text);
	for (size_t i = 0, bytes; i < text.len && s.n < most; i += bytes) {
		char c = text.p[i];

		bytes = 1;
		if (shape_is_quote(c, language)) {
			bytes = shape_string(text, i);
			if (!is_json || !shape_put_key(&s, text, i, bytes))
				shape_put_literal(&s);
		} else if ((bytes = shape_number(text, i))) {
			shape_put_literal(&s);
		} else if (!is_json && (bytes = shape_comment(text, i))) {
			continue;
		} else if (char_is_space(c)) {
			bytes = 1;
			if (s.n > n && s.out[s.n - 1] != ' ')
				shape_put(&s, ' ');
		} else {
			bytes = 1;
			shape_put(&s, c);
			if (is_json && (c == ':' || c == ','))
				shape_put(&s, ' ');
			else if (c == ')')
				shape_end_row(&s);
		}
	}
	while (s.n > n && s.n == most && (unsigned char)s.out[s.n - 1] >= 0x80)
		s.n--; /* drop an incomplete UTF-8 character */
	while (s.n > n && s.out[s.n - 1] == ' ')
		s.n--;
	return s.n;
}
