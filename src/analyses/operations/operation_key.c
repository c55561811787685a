/* SPDX-License-Identifier: MIT */
#include "analyses/operations/operation_key.h"

#include "base/status.h"
#include "base/str.h"

/*
 * a word without a name can be the key only if it is one of the first or last KEY_WORDS such words
 * of the event
 */
#define KEY_WORDS 8u
#define KEY_NAMES 16u /* maximum number of fields with a name in an event */
#define KEY_ALL   64u /* maximum number of words read from an event */

struct key_word {
	struct str name; /* name of the field, "seqno" in "seqno=12"; empty: none */
	struct str value;
};

static bool key_is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = (char)(s.p[i] | 32);

		if ((c < 'a' || c > 'z') && s.p[i] != '_' && !(i && char_is_digit(s.p[i])))
			return false;
	}
	return s.len != 0;
}

static struct str key_bare(struct str word)
{
	while (word.len && str_find_char(STR("([{'\"<#"), word.p[0]) < 7)
		word = str_skip(word, 1);
	while (word.len && str_find_char(STR(".,;)]}'\">"), word.p[word.len - 1]) < 9)
		word.len--;
	return word;
}

static bool key_has_digit(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (char_is_digit(s.p[i]))
			return true;
	}
	return false;
}

/*
 * Split the fields of an event, "dev 8,0 tag=12 sector: 4096", into words. "tag=12" and "sector:
 * 4096" are one named word each. Returns the number of words.
 */
static size_t key_words(struct str fields, struct key_word *ret)
{
	size_t n = 0;
	struct str word;
	struct str name = STR_NONE;

	while (n < KEY_ALL && str_word(&fields, &word)) {
		struct str bare = key_bare(word);
		size_t at = str_find_char(bare, '=');

		if (at == bare.len)
			at = str_find_char(bare, ':');
		if (name.len) {
			ret[n++] = (struct key_word){ name, bare };
			name = STR_NONE;
		} else if (at && at + 1 == bare.len && key_is_name(str_sub(bare, 0, at))) {
			name = str_sub(bare, 0, at);
		} else if (at && at + 1 < bare.len && key_is_name(str_sub(bare, 0, at))) {
			ret[n++] =
				(struct key_word){ str_sub(bare, 0, at), str_skip(bare, at + 1) };
		} else {
			ret[n++] = (struct key_word){ STR_NONE, bare };
		}
	}
	return n;
}

struct str operation_key_value(const struct operation_key *key, struct str fields)
{
	struct key_word words[KEY_ALL];
	size_t n = key_words(fields, words);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct key_word *w = &words[key->kind == OPERATION_KEY_BACK ? n - 1 - i : i];

		if (key->kind == OPERATION_KEY_NAME) {
			if (str_eq(w->name, key->name))
				return w->value;
		} else if (w->name.len == 0 && at++ == key->at) {
			return key_has_digit(w->value) ? w->value : STR_NONE;
		}
	}
	return STR_NONE;
}

size_t operation_keys_of(struct str fields, struct operation_key *ret)
{
	struct key_word words[KEY_ALL];
	size_t n = key_words(fields, words);
	size_t keys = 0;

	for (size_t i = 0; i < n && keys < KEY_NAMES; i++) {
		if (words[i].name.len)
			ret[keys++] =
				(struct operation_key){ words[i].name, OPERATION_KEY_NAME, 0 };
	}
	for (unsigned int i = 0; i < KEY_WORDS; i++) {
		for (unsigned int kind = OPERATION_KEY_FRONT; kind <= OPERATION_KEY_BACK; kind++) {
			struct operation_key key = { STR_NONE, (uint8_t)kind, (uint8_t)i };

			if (operation_key_value(&key, fields).len)
				ret[keys++] = key;
		}
	}
	ret[keys++] = (struct operation_key){ STR_NONE, OPERATION_KEY_THREAD, 0 };
	return keys;
}
