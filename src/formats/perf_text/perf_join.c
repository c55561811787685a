/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_join.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/symbols.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_tree.h"

#define JOIN_LINES 8u
/*
 * Mailers wrap lines at this column or to the right of it. So a line was not wrapped if the next
 * word would have fitted to the left of this column.
 */
#define JOIN_WRAP 64u
/* No mailer leaves a line that is longer than this. */
#define JOIN_WIDEST 100u

static bool join_ends_sentence(struct str s)
{
	s = str_trim(s);
	return s.len && memchr(".:?!,;", s.p[s.len - 1], 6);
}

static bool join_is_name(char c)
{
	return c == '_' || c == '~' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * Whether @next is the rest of the name on @line, because a mailer wrapped the name at a blank. For
 * example, @line ends with "TLS init", and @next is "function for x". All of these must be true:
 *
 *     - the first word of @next had no room on @line
 *     - @next starts with a name at the left margin, and does not end like a sentence
 *     - @after, the line after @next, is a row
 */
static bool join_is_tail(struct str line, struct str next, struct str after)
{
	size_t len = str_rtrim(line).len;
	struct str s = next;
	struct str word;

	if (perf_line_indent(next) > 0 || !str_word(&s, &word) || join_ends_sentence(next))
		return false;
	if (!join_is_name(word.p[0]))
		return false;
	if (len < JOIN_WRAP - 16 || len > JOIN_WIDEST || len + 1 + word.len <= JOIN_WRAP)
		return false;
	return perf_line_kind(after) == PERF_LINE_ROW;
}

/*
 * Number of blanks to put between @line and @next when they are joined; 0: the two lines are not
 * one row. @after: the line after @next.
 */
static unsigned int join_blanks(struct str line, enum perf_line kind, struct str next,
				struct str after)
{
	enum perf_line next_kind = perf_line_kind(next);
	size_t level;
	struct str name;

	if (kind == PERF_LINE_PERCENT) {
		if (next_kind == PERF_LINE_LEVEL)
			return 2;
		return next_kind == PERF_LINE_OTHER && perf_line_level(next, 0) < next.len ? 2 : 0;
	}
	if (next_kind != PERF_LINE_OTHER)
		return 0;
	level = perf_line_level(line, 0);
	name = str_trim(str_skip(line, level + 3));
	if (name.len == 0)
		return 1;
	if (symbol_name_is_cut(name) && str_rtrim(line).len <= JOIN_WIDEST)
		return 1;
	return join_is_tail(line, next, after) ? 1 : 0;
}

/*
 * Whether @p, the line after a row, starts with an address. perf prints an address for an unknown
 * symbol. So if the result is true, a mailer wrapped the row before its symbol. An address has more
 * digits than a percentage.
 */
static bool join_is_address(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (char_is_digit(p[n]) || (p[n] >= 'a' && p[n] <= 'f') || p[n] == 'x'))
		n++;
	return n >= 8 && (n == len || char_is_space(p[n]));
}

/*
 * Whether the row is certainly not wrapped. This fast test is true for most rows, because another
 * row, a tree or the end of the text follows.
 */
static bool join_cannot(enum perf_line kind, struct str rest)
{
	size_t i = 0;

	if (kind == PERF_LINE_PERCENT)
		return false;
	while (i < rest.len && char_is_blank(rest.p[i]))
		i++;
	if (i < rest.len && char_is_digit(rest.p[i]))
		return !join_is_address(rest.p + i, rest.len - i);
	return i == rest.len || memchr("\n\r|+#", rest.p[i], 5);
}

struct perf_joined perf_join(struct str line, enum perf_line kind, struct str rest, struct out *buf)
{
	struct perf_joined j = { line, 0, 0 };
	size_t all = rest.len;

	if (LIKELY(join_cannot(kind, rest)))
		return j;
	while (j.n_lines < JOIN_LINES) {
		struct str next;
		struct str after = STR_NONE;
		struct str ahead = rest;
		unsigned int blanks;

		if (!perf_line_next(&ahead, &next))
			break;
		rest = ahead;
		(void)perf_line_next(&ahead, &after);
		blanks = join_blanks(j.line, kind, next, after);
		if (blanks == 0)
			break;
		if (j.n_lines == 0) {
			buf->len = 0;
			out_str(buf, str_rtrim(line));
		}
		out_repeat(buf, ' ', blanks);
		out_str(buf, str_trim(next));
		j.line = out_view(buf);
		j.n_lines++;
		j.bytes = all - rest.len;
		if (perf_line_level(j.line, 0) < j.line.len)
			kind = PERF_LINE_ROW;
	}
	/* without a level marker such as "[k]", the joined lines are no row either */
	if (kind == PERF_LINE_PERCENT)
		return (struct perf_joined){ line, 0, 0 };
	return j;
}
