/* SPDX-License-Identifier: MIT */
#include "explain/all_of.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/findings.h"

#include <string.h>

/* What has no "all": "100.0 % of a CPU", "100.0 % of all". */
static const char *const all_of_not[] = { "a ", "all", "time busy " };

/* Has @f a share of exactly 100 %? A printed 100.00 % has no error that makes it less. */
static bool all_of_is_whole(const struct finding *f)
{
	VEC_FOREACH (g, &f->figures) {
		if (g->unit && strcmp(g->unit, "%") == 0 && g->value >= 100 && g->value <= 100)
			return true;
	}
	return f->impact >= 100 && f->impact <= 100;
}

/* Does a sentence begin at offset @at of @text? */
static bool all_of_begins(struct str text, size_t at)
{
	return at == 0 || (at >= 2 && text.p[at - 2] == '.');
}

static bool all_of_has_all(struct str whole)
{
	for (size_t i = 0; i < ARRAY_LEN(all_of_not); i++) {
		if (str_starts(whole, str_of(all_of_not[i])))
			return false;
	}
	return whole.len > 0;
}

static void all_of_claim(struct findings *f, struct finding *row)
{
	const struct str share = STR("100.0 % of ");
	struct str rest = row->claim;
	struct out text = { .fd = -1 };
	size_t done = 0; /* bytes of the claim in `text` */

	for (size_t at; (at = str_find(rest, share)) < rest.len;) {
		size_t from = done + at;
		struct str whole = str_skip(rest, at + share.len);

		out_str(&text, str_sub(rest, 0, at));
		if ((from && char_is_digit(row->claim.p[from - 1])) || !all_of_has_all(whole))
			out_str(&text, share);
		else
			out_printf(&text, "%s%s", all_of_begins(row->claim, from) ? "All " : "all ",
				   str_starts(whole, STR("the ")) ? "of " : "");
		rest = whole;
		done = from + share.len;
	}
	if (done) {
		out_str(&text, rest);
		row->claim = arena_str(&f->arena, out_view(&text));
	}
	out_fini(&text);
}

void all_of_claims(struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		if (all_of_is_whole(row))
			all_of_claim(f, row);
	}
}
