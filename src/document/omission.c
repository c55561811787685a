/* SPDX-License-Identifier: MIT */
#include "document/omission.h"

#define OMISSION_BYTES 100u

static const char omission_pairs[][2] = { { '[', ']' }, { '(', ')' }, { '<', '>' }, { '{', '}' } };

/* Remove one pair of brackets around *@s, if there is one. */
static bool omission_unwrap(struct str *s)
{
	for (size_t i = 0; i < sizeof(omission_pairs) / sizeof(*omission_pairs); i++) {
		if (s->len >= 2 && s->p[0] == omission_pairs[i][0] &&
		    s->p[s->len - 1] == omission_pairs[i][1]) {
			*s = str_trim(str_sub(*s, 1, s->len - 1));
			return true;
		}
	}
	return false;
}

/* Take the dots at the start of *@s: at least @least full stops, or an ellipsis. */
static bool omission_dots(struct str *s, size_t least)
{
	size_t n = 0;

	if (str_take(s, STR("\xe2\x80\xa6")))
		return true;
	while (n < s->len && s->p[n] == '.')
		n++;
	if (n < least)
		return false;
	*s = str_skip(*s, n);
	return true;
}

static bool omission_is_word(struct str s)
{
	return str_glob(STR("snip|Snip|SNIP|snipped|cut|trimmed|omitted|skipped|truncated"), s);
}

bool omission_is_mark(struct str line)
{
	struct str s = str_trim(line);
	bool is_wrapped;

	if (s.len > OMISSION_BYTES)
		return false;
	if (!str_take(&s, STR("//")))
		(void)str_take(&s, STR("#"));
	s = str_trim(s);
	is_wrapped = omission_unwrap(&s);
	if (str_take(&s, STR("--")) && str_ends(s, STR("--"))) {
		s = str_trim(str_sub(s, 0, s.len - 2));
		is_wrapped = true;
	}
	if (omission_is_word(s))
		return is_wrapped || !str_eq(s, STR("cut"));
	return omission_dots(&s, is_wrapped ? 2 : 3) && s.len == 0;
}

bool omission_is_in_words(struct str line)
{
	static const char words[] =
		"*more*|*omitted*|*skipped*|*repeat*|*same*|*snip*|*truncated*|*trimmed*|*many*|"
		"*lots*|*times*|*lines*|*etc*|*and so on*|*continues*";
	struct str s = str_trim(line);
	bool is_wrapped;

	if (omission_is_mark(s))
		return true;
	if (s.len > OMISSION_BYTES)
		return false;
	is_wrapped = omission_unwrap(&s);
	return (omission_dots(&s, is_wrapped ? 2 : 3) || is_wrapped) && str_glob(str_of(words), s);
}
