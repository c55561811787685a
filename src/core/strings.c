/* SPDX-License-Identifier: MIT */
#include "core/strings.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"

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

#define STRINGS_DIGITS 16u

/* Whether @s is "0x" and exactly 16 lower-case hex digits; *@ret is then the number. */
static bool strings_is_number(struct str s, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.len != 2 + STRINGS_DIGITS || s.p[0] != '0' || s.p[1] != 'x')
		return false;
	for (size_t i = 2; i < s.len; i++) {
		int digit = char_hex(s.p[i]);

		if (digit < 0 || (s.p[i] >= 'A' && s.p[i] <= 'F'))
			return false;
		v = v << 4 | (unsigned int)digit;
	}
	*ret = v;
	return true;
}

static uint64_t strings_hash_number(uint64_t number)
{
	return hash_u64(number, 11);
}

/*
 * Whether string @id equals @number (if @is_number) or @s (otherwise). A string that was added as a
 * number may meanwhile be stored as text.
 */
static bool strings_is(const struct strings *t, uint32_t id, bool is_number, uint64_t number,
		       struct str s)
{
	const struct str *view = &t->views.data[id];
	uint64_t own;

	if (!view->p)
		return is_number && view->len == number;
	if (is_number)
		return strings_is_number(*view, &own) && own == number;
	return str_eq(*view, s);
}

/*
 * Append a string, and insert it into the map at @p, where the search for the string ended. If the
 * table is full (LIMIT_STRINGS), return the string "[limit]" instead.
 */
static str_id strings_push(struct strings *t, const struct idmap_probe *p, bool is_number,
			   uint64_t number, struct str s)
{
	uint32_t id = (uint32_t)t->views.len;

	if (t->views.len >= LIMIT_STRINGS)
		return strings_find(t, STR("[limit]"));
	if (t->views.len == LIMIT_STRINGS - 1)
		*VEC_PUSH(&t->views) = arena_str(&t->arena, STR("[limit]"));
	else if (is_number)
		*VEC_PUSH(&t->views) = (struct str){ NULL, (size_t)number };
	else
		*VEC_PUSH(&t->views) = arena_str(&t->arena, s);
	idmap_insert(&t->map, p, id);
	return (str_id){ id };
}

static str_id strings_put(struct strings *t, uint64_t hash, bool is_number, uint64_t number,
			  struct str s)
{
	struct idmap_probe p = idmap_first(&t->map, hash);

	while (idmap_next(&t->map, &p)) {
		if (strings_is(t, p.id, is_number, number, s))
			return (str_id){ p.id };
	}
	return strings_push(t, &p, is_number, number, s);
}

str_id strings_add_number(struct strings *t, uint64_t number)
{
	return strings_put(t, strings_hash_number(number), true, number, STR_NONE);
}

str_id strings_add(struct strings *t, struct str s)
{
	uint64_t number;

	if (UNLIKELY(strings_is_number(s, &number)))
		return strings_add_number(t, number);
	s = str_sub(s, 0, LIMIT_NAME_BYTES);
	return strings_put(t, hash_str(s), false, 0, s);
}

str_id strings_find(const struct strings *t, struct str s)
{
	uint64_t number = 0;
	bool is_number = strings_is_number(s, &number);
	uint64_t hash = is_number ? strings_hash_number(number) : hash_str(s);
	struct idmap_probe p;

	if (!t->map.slots)
		return STR_ID_NONE;
	p = (struct idmap_probe){ 0, (uint32_t)(hash >> 32) ^ (uint32_t)hash, 0 };
	p.at = p.hash & t->map.mask;
	while (idmap_next(&t->map, &p)) {
		if (strings_is(t, p.id, is_number, number, s))
			return (str_id){ p.id };
	}
	return STR_ID_NONE;
}

bool strings_number(const struct strings *t, str_id id, uint64_t *ret)
{
	const struct str *view = &t->views.data[id.v < t->views.len ? id.v : 0];

	if (view->p)
		return strings_is_number(*view, ret);
	*ret = view->len;
	return true;
}

struct str strings_spell(const struct strings *t, uint32_t id)
{
	static const char digits[] = "0123456789abcdef";
	/*
	 * callers may have a const table: strings_spell() only changes the form in which the string
	 * is stored
	 */
	struct strings *own = (struct strings *)(uintptr_t)t;
	struct str *view = &own->views.data[id];
	uint64_t number = view->len;
	char text[2 + STRINGS_DIGITS] = "0x";

	for (size_t i = sizeof(text); i-- > 2; number >>= 4)
		text[i] = digits[number & 15];
	*view = arena_str(&own->arena, (struct str){ text, sizeof(text) });
	return *view;
}
