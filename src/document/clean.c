/* SPDX-License-Identifier: MIT */
#include "document/clean.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/diag.h"

static const struct diag_kind clean_cut = { "document-cut", DIAG_DATALOSS,
					    "texts too large to clean; the rest is missing" };

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
