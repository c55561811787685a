/* SPDX-License-Identifier: MIT */
/*
 * strings.h - every name once
 *
 * Names of symbols, modules, commands, events are kept once for a dossier and
 * referred to by id: equality is a compare of integers, in all captures of a
 * run. Id 0 is the empty string. Nothing is freed before the table is.
 *
 * Addresses without a name are the bulk of a large profile, and few are ever
 * printed: a text of "0x" and 16 digits is kept as its number until it is asked
 * for.
 *
 * Not thread safe, reading included.
 */
#ifndef CORE_STRINGS_H
#define CORE_STRINGS_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "core/ids.h"

struct strings {
	struct arena arena;
	VEC(struct str) views; /* p is NULL: len is the number; take them by strings_get() */
	struct idmap map;
};

void strings_init(struct strings *t);
void strings_fini(struct strings *t);
/*
 * The id of @s, made on first use (copied). Longer than LIMIT_NAME_BYTES: cut
 * there. Past LIMIT_STRINGS: the id of "[limit]".
 * Cost: O(len) expected, one hash of the text.
 */
str_id strings_add(struct strings *t, struct str s);
/* The same for the text "0x%016llx" of @number. */
str_id strings_add_number(struct strings *t, uint64_t number);
/* Fetch what strings_add_number() of the same will look at. */
void strings_prefetch_number(const struct strings *t, uint64_t number);
/* Whether the text of @id is such a number. */
bool strings_number(const struct strings *t, str_id id, uint64_t *ret);
/* The id of @s if it is there, else STR_ID_NONE. */
str_id strings_find(const struct strings *t, struct str s);
/* Write the text of a number; for strings_get(). */
struct str strings_spell(const struct strings *t, uint32_t id);
/* Borrowed until strings_fini(); NUL-terminated. */
static inline struct str strings_get(const struct strings *t, str_id id)
{
	uint32_t at = id.v < t->views.len ? id.v : 0;

	return LIKELY(t->views.data[at].p) ? t->views.data[at] : strings_spell(t, at);
}

#endif
