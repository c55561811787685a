/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_titles.h"

#include "base/status.h"
#include "base/str.h"
#include "formats/perf_text/perf_line.h"

struct str perf_line_unshade(struct str line)
{
	for (;;) {
		const unsigned char *end = (const unsigned char *)line.p + line.len;

		if (line.len < 3 || end[-3] != 0xe2 || end[-2] < 0x96 || end[-2] > 0x97)
			return line;
		line = str_rtrim(str_sub(line, 0, line.len - 3));
	}
}

bool perf_line_percent(struct str *s, struct perf_percent *ret)
{
	uint64_t v = 0;
	size_t i = 0;
	size_t dot;

	while (i < s->len && char_is_digit(s->p[i]) && i < 6)
		v = v * 10 + (uint64_t)(s->p[i++] - '0');
	if (i == 0 || i == s->len)
		return false;
	dot = i;
	if (s->p[i] == '.' || s->p[i] == ',') {
		i++;
		while (i < s->len && char_is_digit(s->p[i]) && i - dot <= 9)
			v = v * 10 + (uint64_t)(s->p[i++] - '0');
		if (i == dot + 1 || i == s->len)
			return false;
		dot++;
	}
	if (s->p[i] != '%')
		return false;
	*ret = (struct perf_percent){ v, (unsigned int)(i - dot) };
	*s = str_skip(*s, i + 1);
	return true;
}

static bool line_is_level(struct str s, size_t i)
{
	return i + 2 < s.len && s.p[i] == '[' && s.p[i + 2] == ']' &&
	       memchr("k.guH?", s.p[i + 1], 6) && perf_line_is_blank_at(s, i + 3) &&
	       (i == 0 || char_is_blank(s.p[i - 1]));
}

size_t perf_line_level(struct str line, size_t from)
{
	while (from < line.len) {
		size_t i = from + str_find_char(str_skip(line, from), '[');
		size_t next;

		if (i >= line.len)
			break;
		if (!line_is_level(line, i)) {
			from = i + 1;
			continue;
		}
		/* two level markers follow each other: the first is a DSO with the name "[k]" */
		next = i + 3;
		while (next < line.len && char_is_blank(line.p[next]))
			next++;
		return line_is_level(line, next) ? next : i;
	}
	return line.len;
}

/*
 * Whether @s starts with "-001", the CPU number of samples without a CPU. A change such as "-1.5%"
 * is no CPU number.
 */
static bool line_is_no_cpu(struct str s)
{
	return str_starts(s, STR("-001")) && perf_line_is_blank_at(s, 4);
}

/* Kind of a line that starts with a percentage. @s: text after the first percentage. */
static enum perf_line line_kind_percent(struct str s)
{
	struct perf_percent p;

	s = perf_line_ltrim(s);
	if (s.len == 0)
		return PERF_LINE_FLAT;
	while (s.len && char_is_digit(s.p[0]) && perf_line_percent(&s, &p))
		s = perf_line_ltrim(s);
	if (s.len == 0)
		return PERF_LINE_PERCENT;
	/*
	 * rows of other perf tools: `perf diff` prints a signed change after the percentages, `perf
	 * c2c` an offset
	 */
	if ((s.p[0] == '+' || s.p[0] == '-') && s.len > 1 && char_is_digit(s.p[1]) &&
	    !line_is_no_cpu(s))
		return PERF_LINE_OTHER;
	if (str_starts(s, STR("0x")))
		return PERF_LINE_OTHER;
	return perf_line_level(s, 0) < s.len ? PERF_LINE_ROW : PERF_LINE_PERCENT;
}

size_t perf_line_hand_mark(struct str s)
{
	size_t n = 0;

	while (n < s.len && n < 5 && memchr("*0123456789<>=-+!.):|#", s.p[n], 22))
		n++;
	return n && n < s.len && char_is_blank(s.p[n]) ? n : 0;
}

static enum perf_line line_kind_number(struct str s)
{
	struct str rest = s;
	struct perf_percent p;
	size_t n;

	if (perf_line_percent(&rest, &p) && perf_line_is_blank_at(rest, 0))
		return line_kind_percent(rest);
	n = perf_line_hand_mark(s);
	if (n == 0)
		return PERF_LINE_OTHER;
	rest = perf_line_ltrim(str_skip(s, n));
	if (perf_line_percent(&rest, &p) && perf_line_is_blank_at(rest, 0) &&
	    line_kind_percent(rest) == PERF_LINE_ROW)
		return PERF_LINE_ROW;
	return PERF_LINE_OTHER;
}

static enum perf_line line_kind_mark(struct str s)
{
	struct str rest;
	struct perf_percent p;
	enum perf_line kind;

	if (s.len < 2 || !char_is_blank(s.p[1]))
		return line_kind_number(s);
	rest = perf_line_ltrim(str_skip(s, 1));
	if (rest.len == 0)
		return PERF_LINE_OTHER;
	if (!perf_line_percent(&rest, &p) || !perf_line_is_blank_at(rest, 0))
		return PERF_LINE_MARK;
	kind = line_kind_percent(rest);
	if (kind == PERF_LINE_ROW || kind == PERF_LINE_OTHER)
		return kind;
	/*
	 * one blank before the name: a branch of a tree; two or more blanks, as between columns: a
	 * row
	 */
	return rest.len > 2 && char_is_blank(rest.p[1]) ? PERF_LINE_PERCENT : PERF_LINE_MARK;
}

static enum perf_line line_kind_dashes(struct str s)
{
	struct str rest = str_skip(s, 2);
	struct perf_percent p;
	uint64_t count;
	size_t i = 0;

	if (!str_starts(s, STR("--")))
		return line_kind_mark(s);
	if (perf_line_percent(&rest, &p) || str_u64(&rest, &count))
		return str_starts(rest, STR("--")) ? PERF_LINE_TREE : PERF_LINE_OTHER;
	while (i < s.len && s.p[i] == '-')
		i++;
	if (str_rtrim(s).len == i)
		return i >= 8 ? PERF_LINE_RULER : PERF_LINE_OTHER;
	if (i == 3 && !perf_line_is_blank_at(s, 3))
		return PERF_LINE_TREE;
	return line_kind_number(s);
}

static enum perf_line line_kind_bars(struct str s)
{
	size_t i = 0;

	while (i < s.len && (s.p[i] == '|' || char_is_blank(s.p[i])))
		i++;
	if (i == s.len)
		return PERF_LINE_TREE;
	/* a line that starts and ends with a bar is a row of a Markdown table */
	if (s.p[i] != '-' && s.len > 2 && str_rtrim(s).p[str_rtrim(s).len - 1] == '|')
		return PERF_LINE_OTHER;
	return PERF_LINE_TREE;
}

static bool line_is_dots(struct str s)
{
	size_t dots = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '.' || s.p[i] == '_')
			dots++;
		else if (!char_is_space(s.p[i]))
			return false;
	}
	return dots >= 5;
}

/* Whether @s is a banner: a line before a table that describes the measurement. */
static bool line_is_banner(struct str s, bool is_comment)
{
	static const struct str plain[] = {
		STR("Samples: "), STR("Event count (approx.): "), STR("PerfTop: "), STR("Events: "),
		STR("Event: "),   STR("Event count: "),
	};
	static const struct str comment[] = {
		STR("To display the perf.data header"),
		STR("Total Lost Samples: "),
		STR("========"),
		STR("captured on"),
		STR("hostname : "),
		STR("os release : "),
		STR("perf version : "),
		STR("cmdline : "),
		STR("group: {"),
	};

	for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
		if (str_starts(s, plain[i]) && s.len > plain[i].len)
			return true;
	}
	for (size_t i = 0; is_comment && i < ARRAY_LEN(comment); i++) {
		if (str_starts(s, comment[i]))
			return true;
	}
	return false;
}

static enum perf_line line_kind_comment(struct str s)
{
	struct perf_layout layout;

	s = str_trim(str_skip(s, 1));
	if (s.len == 0)
		return PERF_LINE_COMMENT;
	if (line_is_dots(s))
		return PERF_LINE_RULER;
	if (line_is_banner(s, true))
		return PERF_LINE_BANNER;
	return perf_titles_read(s, &layout) ? PERF_LINE_TITLES : PERF_LINE_COMMENT;
}

static enum perf_line line_kind_word(struct str s)
{
	static const struct str words[] = {
		STR("Overhead"), STR("Children"),  STR("Sample"),  STR("Self"),
		STR("Events: "), STR("PerfTop: "), STR("Event: "), STR("Event count"),
		STR("Baseline"), STR("samples"),   STR("Period"),
	};
	struct perf_layout layout;
	bool may = false;

	for (size_t i = 0; i < ARRAY_LEN(words) && !may; i++)
		may = words[i].p[0] == s.p[0] && str_starts(s, words[i]);
	if (LIKELY(!may))
		return PERF_LINE_OTHER;
	if (line_is_banner(s, false))
		return PERF_LINE_BANNER;
	return perf_titles_read(s, &layout) ? PERF_LINE_TITLES : PERF_LINE_OTHER;
}

enum perf_line perf_line_kind(struct str line)
{
	size_t i = perf_line_indent(line);
	struct str s = str_skip(line, i);

	if (s.len == 0)
		return PERF_LINE_BLANK;
	switch (s.p[0]) {
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
	case '*':
	case '=':
	case '>':
	case '!':
		return line_kind_number(s);
	case '|':
		return line_kind_bars(s);
	case '-':
		return line_kind_dashes(s);
	case '+':
		return line_kind_mark(s);
	case '#':
		return line_kind_comment(s);
	case '[':
		return line_is_level(s, 0) ? PERF_LINE_LEVEL : PERF_LINE_OTHER;
	case '.':
	case '_':
		return line_is_dots(s) ? PERF_LINE_RULER : PERF_LINE_OTHER;
	case 'O':
	case 'C':
	case 'S':
	case 'E':
	case 'P':
	case 'B':
	case 's':
		return line_kind_word(s);
	default:
		return PERF_LINE_OTHER;
	}
}

size_t perf_line_gap(struct str s)
{
	const char *p = s.p;

	for (size_t i = 0; i < s.len; i++) {
		const char *b = memchr(p + i, ' ', s.len - i);
		size_t end = b ? (size_t)(b - p) : s.len;
		const char *t = memchr(p + i, '\t', end - i);

		if (t)
			return (size_t)(t - p);
		if (!b)
			break;
		i = end;
		if (i + 1 < s.len && char_is_blank(p[i + 1]))
			return i;
	}
	return s.len;
}

bool perf_line_is_branch(struct str line)
{
	struct str s = perf_line_ltrim(line);
	struct perf_percent p;

	return line.len > 3 && char_is_blank(line.p[2]) && perf_line_percent(&s, &p) && s.len > 1 &&
	       s.p[0] == ' ' && !char_is_blank(s.p[1]);
}

size_t perf_line_bars(struct str line)
{
	size_t col = 0;
	size_t behind = 0;

	for (size_t i = 0; i < line.len; i++) {
		col = line.p[i] == '\t' ? (col | 7) + 1 : col + 1;
		if (line.p[i] == '|')
			behind = col;
		else if (!char_is_space(line.p[i]))
			return 0;
	}
	return behind;
}

bool perf_line_is_folded(struct str line, size_t row_indent)
{
	struct str s = perf_line_ltrim(line);
	struct perf_percent p;

	if (s.len == 0 || !char_is_digit(s.p[0]) || !perf_line_percent(&s, &p) || s.len < 2 ||
	    s.p[0] != ' ' || char_is_blank(s.p[1]))
		return false;
	s = str_trim(s);
	if (str_find_char(s, ';') < s.len)
		return perf_line_gap(s) == s.len;
	return perf_line_column(line) < row_indent && str_find_char(s, ' ') == s.len;
}
