/* SPDX-License-Identifier: MIT */
#include "document/mail/quote.h"

#include "base/str.h"
#include "document/piece.h"

struct quote_marks quote_parse(struct str line, size_t max_depth)
{
	struct quote_marks m = { 0, 0 };
	size_t i = 0;

	/* some old mailers put a blank before the mark: " > text"; but " >= 5" is text */
	if (line.len > 1 && line.p[0] == ' ') {
		if (line.p[1] != '>' || (line.len > 2 && line.p[2] != ' ' && line.p[2] != '>'))
			return m;
		i = 1;
	}
	while (i < line.len && m.depth < max_depth) {
		if (line.p[i] == ' ' && m.depth && i + 1 < line.len && line.p[i + 1] == '>')
			i++;
		if (line.p[i] != '>' || (i + 1 < line.len && line.p[i + 1] == '='))
			break;
		m.depth++;
		m.bytes = ++i;
	}
	return m;
}

void quote_scan(struct piece_cursor c, struct quote_run *ret)
{
	struct str line;
	uint32_t original;

	memset(ret, 0, sizeof(*ret));
	while (piece_line(&c, &line, &original) && quote_is_marked(line)) {
		struct quote_marks m = quote_parse(line, SIZE_MAX);
		size_t d = m.depth < LIMIT_QUOTE_DEPTH ? m.depth : LIMIT_QUOTE_DEPTH;
		struct str rest = str_skip(line, m.bytes);

		ret->n_lines++;
		if ((rest.len && rest.p[0] == ' ') || str_starts(rest, STR("\xc2\xa0")))
			ret->n_blank[d]++;
		else if (rest.len && rest.p[0] != '\t' && rest.p[0] != '\r')
			ret->n_bare[d]++;
	}
}

bool quote_eats_blank(const struct quote_run *run, size_t depth)
{
	size_t d = depth < LIMIT_QUOTE_DEPTH ? depth : LIMIT_QUOTE_DEPTH;

	/*
	 * if at least four fifths of the lines have a blank after the marks, the mailer added this
	 * blank. Lines without it are then continuations of wrapped lines.
	 */
	return run->n_bare[d] * UINT64_C(4) <= run->n_blank[d];
}

size_t quote_open_brackets(struct str line)
{
	size_t open = 0;

	for (size_t i = 1; i < line.len; i++) {
		char before = line.p[i - 1];

		/*
		 * A '<' directly after a name opens a template bracket; the '<' in "a < b" and in
		 * "x <y@z>" does not. A '>' closes a bracket, except in "->".
		 */
		if (line.p[i] == '<')
			open += before == '_' || char_is_digit(before) ||
				((before | 0x20) >= 'a' && (before | 0x20) <= 'z');
		else if (line.p[i] == '>' && before != '-' && before != '=' && open)
			open--;
	}
	return open;
}

size_t quote_scan_bars(struct piece_cursor c, size_t depth)
{
	struct str line;
	uint32_t original;
	size_t n = 0;
	size_t prose = 0;
	size_t text = 0;

	while (piece_line(&c, &line, &original)) {
		struct quote_marks m = quote_parse(line, depth);

		line = str_rtrim(str_skip(line, m.bytes));
		if (m.depth && line.len && line.p[0] == ' ')
			line = str_skip(line, 1);
		if (m.depth != depth || line.len == 0 || line.p[0] != '|')
			break;
		n++;
		if (line.len == 1)
			continue;
		/*
		 * '|' is no quote mark in a table, whose lines end in '|', or in a drawn tree,
		 * where neither a blank nor '|' follows the first '|'
		 */
		if (line.p[line.len - 1] == '|' || (line.p[1] != ' ' && line.p[1] != '|'))
			return 0;
		text++;
		prose += line.len > 2 && line.p[2] != ' ';
	}
	return n >= 3 && prose * 2 >= text && text > 0 ? n : 0;
}
