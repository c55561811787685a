/* SPDX-License-Identifier: MIT */
#include "document/piece.h"

#include "base/str.h"

struct piece_cursor piece_cursor(const struct piece *p)
{
	struct piece_cursor c = { .piece = p, .line = p->first_line };

	piece_seek(&c, 0);
	return c;
}

static void piece_breaks(struct piece_cursor *c)
{
	const struct line_breaks *b = c->piece->breaks;

	while (c->next_break < b->v.len && b->v.data[c->next_break].offset <= c->at)
		c->line = b->v.data[c->next_break++].line;
}

bool piece_line(struct piece_cursor *c, struct str *ret_line, uint32_t *ret_original)
{
	struct str rest = str_skip(c->piece->text, c->at);
	size_t n;

	if (rest.len == 0)
		return false;
	n = str_find_char(rest, '\n');
	*ret_line = str_sub(rest, 0, n);
	*ret_original = c->line;
	c->at += n + (n < rest.len);
	if (c->piece->breaks)
		piece_breaks(c);
	else if (!c->piece->is_one_line && c->line < UINT32_MAX)
		c->line++;
	return true;
}

void piece_seek(struct piece_cursor *c, size_t offset)
{
	struct str over = str_sub(c->piece->text, c->at, offset);

	c->at = offset;
	if (c->piece->breaks) {
		piece_breaks(c);
		return;
	}
	if (c->piece->is_one_line)
		return;
	for (;;) {
		size_t n = str_find_char(over, '\n');

		if (n == over.len)
			return;
		over = str_skip(over, n + 1);
		c->line += c->line < UINT32_MAX;
	}
}
