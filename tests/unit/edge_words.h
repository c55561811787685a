/* SPDX-License-Identifier: MIT */
/* edge_words.h - the numbers and words of a line */
#ifndef EDGE_WORDS_H
#define EDGE_WORDS_H

#include "base/str.h"

static inline bool edge_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next number in @rest that is no part of a name, and the text before it. */
static inline bool edge_number(struct str *rest, struct str *ret_before, struct str *ret)
{
	for (size_t i = 0; i < rest->len; i++) {
		size_t end = i;

		if (!char_is_digit(rest->p[i]))
			continue;
		while (end < rest->len && (char_is_digit(rest->p[end]) ||
					   (rest->p[end] == '.' && end + 1 < rest->len &&
					    char_is_digit(rest->p[end + 1]))))
			end++;
		if (i && (rest->p[i - 1] == '_' || edge_is_letter(rest->p[i - 1]))) {
			/* part of a name, to its end */
			while (end < rest->len &&
			       (rest->p[end] == '_' || char_is_digit(rest->p[end]) ||
				edge_is_letter(rest->p[end])))
				end++;
			i = end - 1;
			continue;
		}
		*ret_before = str_sub(*rest, 0, i);
		*ret = str_sub(*rest, i, end);
		*rest = str_skip(*rest, end);
		return true;
	}
	return false;
}

/* The next word in @rest, which blanks and ';' end, and the text before it. */
static inline bool edge_word(struct str *rest, struct str *ret_before, struct str *ret)
{
	size_t from = 0, end;

	while (from < rest->len && (char_is_space(rest->p[from]) || rest->p[from] == ';'))
		from++;
	for (end = from; end < rest->len && !char_is_space(rest->p[end]) && rest->p[end] != ';';)
		end++;
	*ret_before = str_sub(*rest, 0, from);
	*ret = str_sub(*rest, from, end);
	*rest = str_skip(*rest, end);
	return ret->len > 0;
}

#endif
