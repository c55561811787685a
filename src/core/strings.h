/* SPDX-License-Identifier: MIT */
/*
 * strings.h - every name once
 *
 * Names of symbols, modules, commands, events are kept once for a dossier and
 * referred to by id: equality is a compare of integers, in all captures of a
 * run. Id 0 is the empty string. Nothing is freed before the table is.
 *
 * Not thread safe.
 */
#ifndef CORE_STRINGS_H
#define CORE_STRINGS_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "core/ids.h"

struct strings {
	struct arena arena;
	VEC(struct str) views;
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
/* The id of @s if it is there, else STR_ID_NONE. */
str_id strings_find(const struct strings *t, struct str s);
/* Borrowed until strings_fini(); NUL-terminated. */
static inline struct str strings_get(const struct strings *t, str_id id)
{
	return t->views.data[id.v < t->views.len ? id.v : 0];
}

#endif
