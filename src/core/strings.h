/* SPDX-License-Identifier: MIT */
/*
 * strings.h - interned names
 *
 * Each name of a symbol, module, command or event is stored once per dossier. Other tables refer to
 * a name by its id. Two names are equal if their ids are equal, across all captures of a run. Id 0
 * is the empty string. Strings are freed only with the table.
 *
 * A large profile has many unresolved addresses, and few of them are printed. A string of "0x" and
 * 16 hex digits is therefore stored as a number, until strings_get() needs its text.
 *
 * Not thread safe, not even for reading.
 */
#ifndef CORE_STRINGS_H
#define CORE_STRINGS_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct strings {
	struct arena arena;
	/*
	 * The text of each id. If p is NULL, the text is not stored, and len is not a length, but a
	 * number: the text is "0x" and the hex digits of this number. Use strings_get() to read
	 * such texts.
	 */
	VEC(struct str) views;
	struct idmap map;
};

void strings_init(struct strings *t);
void strings_fini(struct strings *t);
/*
 * Return the id of @s, which is copied on first use. Texts above LIMIT_NAME_BYTES are truncated.
 * Past LIMIT_STRINGS: the id of "[limit]". Cost: O(len) expected.
 */
str_id strings_add(struct strings *t, struct str s);
/* Return the id of the text of @number in the format "0x%016llx". */
str_id strings_add_number(struct strings *t, uint64_t number);
/* Whether the string of @id is "0x" and 16 hex digits; *@ret is then the number. */
bool strings_number(const struct strings *t, str_id id, uint64_t *ret);
/* The id of @s if it exists, otherwise STR_ID_NONE. */
str_id strings_find(const struct strings *t, struct str s);
/*
 * Replace a string that is stored as a number by its text, and return the text. Only strings_get()
 * may call this.
 */
struct str strings_spell(const struct strings *t, uint32_t id);
/* The text of @id, NUL-terminated. Borrowed until strings_fini(). */
static inline struct str strings_get(const struct strings *t, str_id id)
{
	uint32_t at = id.v < t->views.len ? id.v : 0;

	return LIKELY(t->views.data[at].p) ? t->views.data[at] : strings_spell(t, at);
}

#endif
