/* SPDX-License-Identifier: MIT */
#include "base/text/cells.h"

#include "base/str.h"

#define CELL_UNIT_BYTES 3u
/* maximum length of a number in bytes; a longer word of digits is a bit mask */
#define CELL_NUMBER_BYTES 32u

static bool cell_is_letter(char c)
{
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z';
}

bool cell_is_number(struct str word)
{
	size_t letters = 0, digits = 0;
	unsigned int dots = 0;

	while (word.len && strchr("([<|", word.p[0]))
		word = str_skip(word, 1);
	while (word.len && strchr(")]>|,;", word.p[word.len - 1]))
		word.len--;
	if (word.len > 1 && strchr("+-.", word.p[0]))
		word = str_skip(word, 1);
	while (digits < word.len && (char_is_digit(word.p[digits]) || strchr(".,", word.p[digits])))
		dots += word.p[digits++] == '.';
	/* a word with three dots is an IP address */
	if (word.len == 0 || word.len > CELL_NUMBER_BYTES || !char_is_digit(word.p[0]) || dots == 3)
		return false;
	word = str_skip(word, digits);
	while (letters < word.len && cell_is_letter(word.p[letters]))
		letters++;
	word = str_skip(word, letters);
	(void)(letters == 0 && str_take(&word, STR("%")));
	return letters <= CELL_UNIT_BYTES && word.len == 0;
}

bool cell_is_time(struct str word)
{
	return str_glob(STR("??:??:??*|AM|PM"), word) &&
	       (word.len == 2 || char_is_digit(word.p[0]));
}
