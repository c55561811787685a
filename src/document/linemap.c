/* SPDX-License-Identifier: MIT */
#include "document/linemap.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/diag.h"

static const struct diag_kind clean_cut = { "document-cut", DIAG_DATALOSS,
					    "texts too large to clean; the rest is missing" };

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
		c->line = linemap_advance(c->line, 1);
	}
}

void clean_init(struct clean *c, size_t limit, struct diag *diag)
{
	*c = (struct clean){ .limit = limit, .diag = diag };
	out_init(&c->text);
}

void clean_fini(struct clean *c)
{
	out_fini(&c->text);
	VEC_FREE(&c->lines);
	VEC_FREE(&c->depths);
}

static bool clean_room(struct clean *c, size_t len, uint32_t original)
{
	size_t used = c->text.len + c->lines.len * (sizeof(uint32_t) + 1);

	if (clean_is_full(c))
		return false;
	if (LIKELY(len < c->limit && used < c->limit - len && c->lines.len < UINT32_MAX - 1))
		return true;
	c->cut_line = original ? original : 1;
	diag_count(c->diag, &clean_cut, original);
	return false;
}

void clean_line(struct clean *c, struct str line, uint32_t original, size_t depth)
{
	if (!clean_room(c, line.len, original))
		return;
	out_str(&c->text, line);
	out_char(&c->text, '\n');
	*VEC_PUSH(&c->lines) = original;
	*VEC_PUSH(&c->depths) = (uint8_t)(depth < LIMIT_QUOTE_DEPTH ? depth : LIMIT_QUOTE_DEPTH);
	c->has_depth |= depth > 0;
}

void clean_join(struct clean *c, struct str line, size_t drop)
{
	if (c->lines.len == 0 || !clean_room(c, line.len, c->lines.data[c->lines.len - 1]))
		return;
	c->text.len -= 1 + drop;
	out_str(&c->text, line);
	out_char(&c->text, '\n');
}

struct str clean_last(const struct clean *c)
{
	struct str all = str_sub(out_view(&c->text), 0, c->text.len ? c->text.len - 1 : 0);
	size_t nl = str_rfind_char(all, '\n');

	return nl == all.len ? all : str_skip(all, nl + 1);
}

void clean_separate(struct clean *c, uint32_t original)
{
	size_t n = c->text.len;

	if (n == 0 || (c->text.data[n - 1] == '\n' && (n == 1 || c->text.data[n - 2] == '\n')))
		return;
	clean_line(c, STR_NONE, original, 0);
}
