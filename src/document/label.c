/* SPDX-License-Identifier: MIT */
#include "document/label.h"

#include "base/status.h"
#include "document/mail/quote.h"
#include "document/piece.h"

#define LABEL_NAME  64u /* maximum length of a name with the blanks after it, in bytes */
#define LABEL_LEAST 3u  /* minimum number of lines in a block of lines with labels */
#define LABEL_NAMES 16u /* maximum number of different names in a block of lines with labels */

static bool label_is_name(char c)
{
	return char_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
	       c == '-' || c == '.';
}

/* Skip terminal codes for colours at the start of @line. */
static struct str label_skip_colour(struct str line)
{
	while (line.len > 2 && line.p[0] == '\x1b' && line.p[1] == '[') {
		size_t end = str_find_char(str_sub(line, 0, LABEL_NAME), 'm');

		if (end >= line.len || end >= LABEL_NAME)
			break;
		line = str_skip(line, end + 1);
	}
	return line;
}

/*
 * The name in the label of @line: "db_1" in "db_1 | text". Empty: @line has no label. *@ret_bar:
 * offset of the bar.
 */
static struct str label_name(struct str line, size_t *ret_bar)
{
	struct str s = str_sub(line, 0, LABEL_NAME);
	size_t n = 0;
	size_t bar;

	while (n < s.len && label_is_name(s.p[n]))
		n++;
	for (bar = n; bar < s.len && s.p[bar] == ' ';)
		bar++;
	*ret_bar = bar;
	if (n < 3 || bar == n || bar == s.len || s.p[bar] != '|' || !char_is_digit(s.p[n - 1]) ||
	    (bar + 1 < line.len && !char_is_blank(line.p[bar + 1]) && line.p[bar + 1] != '\x1b'))
		return STR_NONE;
	for (size_t i = n; i-- > 1;) {
		if (!char_is_digit(s.p[i]))
			return s.p[i] == '_' || s.p[i] == '-' ? str_sub(s, 0, n) : STR_NONE;
	}
	return STR_NONE;
}

size_t label_bytes(struct str line)
{
	size_t bar;

	if (!label_name(line, &bar).len)
		return 0;
	return bar + 1 + (bar + 1 < line.len && line.p[bar + 1] == ' ');
}

/* A block of consecutive lines with labels; label_add() adds one line. */
struct label_block {
	struct str names[LABEL_NAMES];
	size_t n_names;
	size_t n_lines;
	size_t bar;
};

/* Add @line to the block. False: the line has no label, or does not fit the block. */
static bool label_add(struct label_block *b, struct str line)
{
	size_t bar;
	struct str name = label_name(label_skip_colour(line), &bar);
	size_t i = 0;

	if (!name.len || (b->n_lines && bar != b->bar))
		return false;
	while (i < b->n_names && !str_eq(b->names[i], name))
		i++;
	if (i == LABEL_NAMES)
		return false;
	if (i == b->n_names)
		b->names[b->n_names++] = name;
	b->bar = bar;
	b->n_lines++;
	return true;
}

static bool label_is_block(const struct label_block *b)
{
	return b->n_lines >= LABEL_LEAST && b->n_names * 2 <= b->n_lines;
}

size_t label_scan(struct piece_cursor c, size_t depth)
{
	struct label_block b = { .n_names = 0 };
	struct str line;
	uint32_t original;
	size_t own;

	while (piece_line(&c, &line, &original)) {
		line = quote_strip(line, depth, &own);
		if (own != depth || !label_add(&b, line))
			break;
	}
	return label_is_block(&b) ? b.n_lines : 0;
}

bool label_is_in(struct str text)
{
	struct label_block b = { .n_names = 0 };
	struct str line;
	size_t depth;

	if (!str_contains(text, STR(" |")))
		return false;
	while (str_line(&text, &line)) {
		line = quote_strip(line, SIZE_MAX, &depth);
		if (!label_add(&b, line))
			b = (struct label_block){ .n_names = 0 };
		if (label_is_block(&b))
			return true;
	}
	return false;
}
