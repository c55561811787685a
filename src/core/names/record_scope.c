/* SPDX-License-Identifier: MIT */
#include "core/names/record_scope.h"

#include "base/str.h"

#define SCOPE_RECORD "perf record "
/* short options of perf record without values; several can form one word: "-ag" */
#define SCOPE_FLAGS "agvqRdsbnTNWBjI"

/* @word without punctuation at its end: quotes, brackets and full stop of a sentence. */
static struct str scope_plain(struct str word)
{
	const struct str marks = STR(")]}'\"`.,;");

	while (word.len && str_find_char(marks, word.p[word.len - 1]) < marks.len)
		word.len--;
	return word;
}

/* Whether @word is a group of short options without values. */
static bool scope_is_flags(struct str word)
{
	struct str flags = STR(SCOPE_FLAGS);

	if (word.len < 2 || word.p[0] != '-' || word.p[1] == '-')
		return false;
	for (size_t i = 1; i < word.len; i++) {
		if (str_find_char(flags, word.p[i]) == flags.len)
			return false;
	}
	return true;
}

bool record_scope_is_all(struct str text)
{
	struct str word, plain;
	/* the previous word is an option that may need a value, so this word may be the value */
	bool takes_value = false;
	size_t at = str_find(text, STR(SCOPE_RECORD));

	if (at == text.len)
		return false;
	text = str_skip(text, at + strlen(SCOPE_RECORD));
	while (str_word(&text, &word)) {
		plain = scope_plain(word);
		if (plain.len == 0 || plain.p[0] != '-') {
			if (!takes_value)
				return false;
			takes_value = false;
		} else if (str_eq(plain, STR("--"))) {
			return false;
		} else if (str_eq(plain, STR("--all-cpus")) ||
			   (scope_is_flags(plain) && str_find_char(plain, 'a') < plain.len)) {
			return true;
		} else {
			takes_value =
				!scope_is_flags(plain) && str_find_char(plain, '=') == plain.len;
		}
		if (plain.len < word.len)
			return false;
	}
	return false;
}
