/* SPDX-License-Identifier: MIT */
#include "formats/tables/metric_cells.h"

#include "base/arena.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

/* maximum length of a quoted cell that extends over several lines */
#define METRIC_QUOTED_BYTES 4096u
#define METRIC_NUMBER_BYTES 64u
/* maximum number of lines into which a mailer breaks a row with colons */
#define METRIC_JOINED_LINES 4u
/* maximum length in bytes of a line that continues a row with colons */
#define METRIC_TAIL_BYTES 512u
#define METRIC_NAME_BYTES 1024u

static const struct str metric_wide = { "\xef\xbc\x9a", 3 }; /* the fullwidth colon, U+FF1A */

bool metric_cell_number(struct str cell, double *ret, bool *ret_is_integer, bool *ret_is_percent)
{
	char buf[METRIC_NUMBER_BYTES + 1];
	bool is_percent = str_ends(cell, STR("%"));
	bool is_integer = true;
	char *end;
	double v;

	if (is_percent)
		cell = str_rtrim(str_sub(cell, 0, cell.len - 1));
	if (cell.len == 0 || cell.len > METRIC_NUMBER_BYTES)
		return false;
	for (size_t i = 0; i < cell.len; i++) {
		char c = cell.p[i];

		/*
		 * reject hexadecimal numbers, inf and nan: strtod() accepts them, but they are no
		 * numbers of a table
		 */
		if (!char_is_digit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E')
			return false;
		is_integer &= char_is_digit(c) || ((c == '-' || c == '+') && i == 0);
		buf[i] = c;
	}
	buf[cell.len] = '\0';
	v = strtod(buf, &end);
	if (end != buf + cell.len || !isfinite(v))
		return false;
	if (ret)
		*ret = v;
	if (ret_is_integer)
		*ret_is_integer = is_integer;
	if (ret_is_percent)
		*ret_is_percent = is_percent;
	return true;
}

bool metric_cell_may_be_colon(struct str line)
{
	size_t n;

	line = str_ltrim(str_sub(line, 0, 512));
	n = str_find_char(line, ' ');
	if (n == 0 || n >= line.len)
		return str_contains(line, metric_wide);
	line = str_ltrim(str_skip(line, n));
	return str_starts(line, STR(":")) || str_starts(line, metric_wide);
}

static void metric_push(struct metric_row *row, struct str text, bool is_fullwidth)
{
	if (row->n == LIMIT_COLUMNS) {
		row->is_cut = true;
		return;
	}
	row->cells[row->n++] = (struct metric_cell){ str_trim(text), is_fullwidth };
}

static void metric_split_colon(struct str line, struct metric_row *row)
{
	bool is_fullwidth = false;
	size_t start = 0;

	for (size_t at = 0; at < line.len; at++) {
		bool wide = str_starts(str_skip(line, at), metric_wide);
		bool plain = line.p[at] == ':' && at > 0 && char_is_blank(line.p[at - 1]) &&
			     (at + 1 == line.len || char_is_blank(line.p[at + 1]));

		if (!wide && !plain)
			continue;
		metric_push(row, str_sub(line, start, at), is_fullwidth);
		is_fullwidth = wide;
		at += wide ? 2 : 0;
		start = at + 1;
	}
	metric_push(row, str_skip(line, start), is_fullwidth);
}

/*
 * Whether @line continues a wrapped row with colons ("name : 1 : 2"). Such a line starts with a
 * colon, ": 5 : 1.0", or with a number before a colon, "24 : 5", or it is a single number.
 */
static bool metric_is_tail(struct str line)
{
	size_t n = 0;

	if (str_starts(line, STR(":")) || str_starts(line, metric_wide))
		return true;
	while (n < line.len && n <= METRIC_NUMBER_BYTES && !char_is_blank(line.p[n]) &&
	       line.p[n] != metric_wide.p[0])
		n++;
	if (!metric_cell_number(str_sub(line, 0, n), NULL, NULL, NULL))
		return false;
	line = str_ltrim(str_skip(line, n));
	return line.len == 0 || str_starts(line, STR(":")) || str_starts(line, metric_wide);
}

/*
 * Join @line, a row with colons, with its continuation lines at the start of @text. These lines are
 * removed from @text.
 */
static struct str metric_join_tails(struct str *text, struct str line, struct arena *scratch,
				    struct metric_row *row)
{
	while (row->n_lines < METRIC_JOINED_LINES) {
		struct str rest = *text;
		struct str next;
		char *p;

		if (!str_line(&rest, &next) || next.len > METRIC_TAIL_BYTES)
			break;
		next = str_trim(next);
		if (!metric_is_tail(next))
			break;
		line = str_rtrim(line);
		p = arena_alloc(scratch, line.len + 1 + next.len);
		memcpy(p, line.p, line.len);
		p[line.len] = ' ';
		memcpy(p + line.len + 1, next.p, next.len);
		line = (struct str){ p, line.len + 1 + next.len };
		*text = rest;
		row->n_lines++;
	}
	return line;
}

/* Index in @s of the quote that ends the quoted cell at its start; s.len: there is none. */
static size_t metric_quote_end(struct str s)
{
	size_t at = 1;

	while (at < s.len) {
		at += str_find_char(str_skip(s, at), '"');
		if (at + 1 < s.len && s.p[at + 1] == '"')
			at += 2;
		else
			break;
	}
	return at < s.len ? at : s.len;
}

/* @s, where each doubled quote is replaced by a single quote. The result may be in @scratch. */
static struct str metric_unquote(struct str s, struct arena *scratch)
{
	char *p;
	size_t n = 0;

	if (str_find_char(s, '"') == s.len)
		return s;
	p = arena_alloc(scratch, s.len);
	for (size_t i = 0; i < s.len; i++) {
		p[n++] = s.p[i];
		i += s.p[i] == '"' && i + 1 < s.len && s.p[i + 1] == '"';
	}
	return (struct str){ p, n };
}

/*
 * Split @line into cells. A quoted cell may extend over the next lines. @beyond: the text from the
 * start of @line on. Returns the number of bytes of @beyond that the row takes.
 */
static size_t metric_split_quoted(struct str line, struct str beyond, char separator,
				  struct arena *scratch, struct metric_row *row)
{
	size_t end = line.len;
	size_t at = 0;

	for (;;) {
		struct str cell = str_sub(beyond, at, end);
		size_t n;

		if (cell.len && cell.p[0] == '"') {
			size_t close = metric_quote_end(cell);

			if (close == cell.len && beyond.len > end) {
				struct str more = str_sub(beyond, at, end + METRIC_QUOTED_BYTES);

				close = metric_quote_end(more);
				if (close < more.len) {
					/*
					 * the row ends at the end of the line with the closing
					 * quote
					 */
					end = at + close +
					      str_find_char(str_skip(beyond, at + close), '\n');
					cell = str_sub(beyond, at, end);
				} else {
					close = cell.len;
				}
			}
			if (close < cell.len) {
				metric_push(row, metric_unquote(str_sub(cell, 1, close), scratch),
					    false);
				at += close + 1;
				at += str_find_char(str_sub(beyond, at, end), separator);
				if (at >= end)
					return end;
				at++;
				continue;
			}
			row->is_unclosed = true;
		}
		n = str_find_char(cell, separator);
		metric_push(row, str_sub(cell, 0, n), false);
		at += n;
		if (at >= end)
			return end;
		at++;
	}
}

bool metric_row_take(struct str *text, enum metric_separator separator, bool has_lines,
		     struct arena *scratch, struct metric_row *row)
{
	static const char separators[] = { ':', '\t', ',', ';' };
	struct str whole = *text;
	struct str line;
	size_t taken;

	row->n = 0;
	row->n_lines = 1;
	row->is_cut = false;
	row->is_unclosed = false;
	if (!str_line(text, &line))
		return false;
	line = str_sub(line, 0, LIMIT_LINE_BYTES);
	if (separator == METRIC_COLON) {
		if (has_lines && line.len && metric_cell_may_be_colon(line))
			line = metric_join_tails(text, line, scratch, row);
		metric_split_colon(line, row);
		return true;
	}
	taken = metric_split_quoted(line, has_lines ? whole : line, separators[separator], scratch,
				    row);
	while (has_lines && taken > (size_t)(text->p - whole.p)) {
		if (!str_line(text, &line))
			break;
		row->n_lines++;
	}
	return true;
}

bool metric_cell_is_name(struct str cell)
{
	size_t args;
	char c;

	if (cell.len < 2 || cell.len > METRIC_NAME_BYTES)
		return false;
	c = cell.p[0];
	if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_' && c != '~' && c != '$' &&
	    c != '.')
		return false;
	/* a name has blanks only inside "(...)" or "<...>", unlike prose */
	args = str_find_char(cell, '(');
	if (str_find_char(cell, '<') < args)
		args = str_find_char(cell, '<');
	for (size_t i = 0; i < cell.len; i++) {
		if ((unsigned char)cell.p[i] < ' ')
			return false;
		if (cell.p[i] == ' ' && i < args)
			return false;
	}
	return true;
}
