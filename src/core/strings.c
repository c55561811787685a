/* SPDX-License-Identifier: MIT */
#include "core/strings.h"

#include "base/limits.h"

void strings_init(struct strings *t)
{
	memset(t, 0, sizeof(*t));
	(void)strings_add(t, STR(""));
}

void strings_fini(struct strings *t)
{
	arena_fini(&t->arena);
	VEC_FREE(&t->views);
	idmap_fini(&t->map);
}

str_id strings_add(struct strings *t, struct str s)
{
	struct idmap_probe p;
	uint32_t id;

	s = str_sub(s, 0, LIMIT_NAME_BYTES);
	p = idmap_first(&t->map, hash_str(s));
	while (idmap_next(&t->map, &p)) {
		if (str_eq(t->views.data[p.id], s))
			return (str_id){ p.id };
	}
	if (t->views.len >= LIMIT_STRINGS)
		return strings_find(t, STR("[limit]"));
	if (t->views.len == LIMIT_STRINGS - 1)
		s = STR("[limit]");
	id = (uint32_t)t->views.len;
	*VEC_PUSH(&t->views) = arena_str(&t->arena, s);
	idmap_insert(&t->map, &p, id);
	return (str_id){ id };
}

str_id strings_find(const struct strings *t, struct str s)
{
	struct idmap_probe p;
	uint64_t hash = hash_str(s);

	if (!t->map.slots)
		return STR_ID_NONE;
	p = (struct idmap_probe){ 0, (uint32_t)(hash >> 32) ^ (uint32_t)hash, 0 };
	p.at = p.hash & t->map.mask;
	while (idmap_next(&t->map, &p)) {
		if (str_eq(t->views.data[p.id], s))
			return (str_id){ p.id };
	}
	return STR_ID_NONE;
}
