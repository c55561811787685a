/* SPDX-License-Identifier: MIT */
#include "analyses/calls/call_events.h"

#include "base/idmap.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"

static struct str events_name(struct str text)
{
	size_t n = 0;

	while (n < text.len &&
	       (char_is_digit(text.p[n]) || text.p[n] == '_' || char_is_letter(text.p[n])))
		n++;
	if (n == 0 || n == text.len || char_is_digit(text.p[0]) ||
	    (text.p[n] != ':' && text.p[n] != '(' && !str_starts(str_skip(text, n), STR(" -> "))))
		return STR("(text)");
	return str_sub(text, 0, n);
}

static int events_compare(const void *a, const void *b)
{
	const struct call_event *x = a;
	const struct call_event *y = b;
	size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;

	return SORT_ORDER(y->count, x->count) ?: memcmp(x->name.p, y->name.p, n) ?: SORT_ORDER(x->name.len, y->name.len);
}

void call_events_count(const struct capture *c, struct call_events *ret)
{
	const struct strings *strings = capture_strings(c);
	struct idmap map = { 0 };

	memset(ret, 0, sizeof(*ret));
	if (!c->calls)
		return;
	VEC_FOREACH (m, &c->calls->marks) {
		struct str name;
		struct idmap_probe p;
		struct call_event *row = NULL;

		if (m->kind != MARK_EVENT)
			continue;
		name = events_name(strings_get(strings, m->text));
		p = idmap_first(&map, hash_str(name));
		while (!row && idmap_next(&map, &p)) {
			if (str_eq(ret->rows.data[p.id].name, name))
				row = &ret->rows.data[p.id];
		}
		if (!row) {
			idmap_insert(&map, &p, (uint32_t)ret->rows.len);
			row = VEC_PUSH(&ret->rows);
			*row = (struct call_event){ .name = name, .line = m->line };
		}
		row->count++;
		ret->count++;
	}
	idmap_fini(&map);
	VEC_SORT(&ret->rows, events_compare);
}

void call_events_fini(struct call_events *e)
{
	VEC_FREE(&e->rows);
}
