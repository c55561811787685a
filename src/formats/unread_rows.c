/* SPDX-License-Identifier: MIT */
#include "formats/unread_rows.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"

/* longer lines are no rows of a table */
#define UNREAD_LINE_BYTES 1024u
/* maximum number of letters of a unit after a number: "12KiB" */
#define UNREAD_UNIT 3u

#define UNREAD_NUMBER 32u

static const struct diag_kind unread_rows = { DIAG_UNREAD_ROWS, DIAG_DATALOSS,
					      "rows of a table that were not read" };

struct unread_shape {
	unsigned int words, numbers;
	bool is_pair;  /* "name: 12", "name = 12", "a_name 12" */
	bool is_total; /* a sum or mean of the rows, which is computed here */
};

static bool unread_is_letter(char c)
{
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z';
}

/* Whether @word is a number, perhaps with a sign, a unit, and brackets around it: "[4K,", "-1.5%".
 */
static bool unread_is_number(struct str word)
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
	/* three dots: an IP address; more than 32 characters: a mask of bits */
	if (word.len == 0 || word.len > UNREAD_NUMBER || !char_is_digit(word.p[0]) || dots == 3)
		return false;
	word = str_skip(word, digits);
	while (letters < word.len && unread_is_letter(word.p[letters]))
		letters++;
	word = str_skip(word, letters);
	(void)(letters == 0 && str_take(&word, STR("%")));
	return letters <= UNREAD_UNIT && word.len == 0;
}

/* Whether @word is a time of day, "08:11:47", or a half of a 12-hour one, "PM". */
static bool unread_is_time(struct str word)
{
	return str_glob(STR("??:??:??*|AM|PM"), word) &&
	       (word.len == 2 || char_is_digit(word.p[0]));
}

static struct unread_shape unread_shape_of(struct str line)
{
	struct unread_shape ret = { .words = 0 };
	bool is_named = false; /* the words up to here are a name with its sign */
	struct str word;

	if (line.len > UNREAD_LINE_BYTES)
		return ret;
	while (str_word(&line, &word)) {
		if (unread_is_time(word))
			continue;
		ret.words++;
		if (unread_is_number(word)) {
			ret.is_pair |= is_named && ret.numbers == 0;
			ret.numbers++;
		} else {
			ret.is_total |=
				str_glob(STR("total|total:|Total|Total:|TOTAL|Average:"), word);
			/* prose has no '_': "page 12" */
			is_named = (ret.words == 1 && str_find_char(word, '_') < word.len) ||
				   (ret.words <= 2 && str_ends(word, STR(":"))) ||
				   (ret.words == 2 && str_eq(word, STR("=")));
		}
	}
	return ret;
}

static bool unread_has_row(const struct unread_shape *s)
{
	if (s->is_total)
		return false;
	/* a pair may have a unit */
	if (s->is_pair && s->numbers == 1)
		return s->words <= 3;
	return s->numbers >= 2 && s->numbers * 2 >= s->words;
}

bool unread_rows_is_row(struct str line)
{
	struct unread_shape s = unread_shape_of(line);

	return unread_has_row(&s);
}

bool unread_rows_is_like(struct str line, struct str row)
{
	struct unread_shape a = unread_shape_of(line);
	struct unread_shape b = unread_shape_of(row);

	return unread_has_row(&a) && unread_has_row(&b) && a.is_pair == b.is_pair &&
	       a.numbers <= b.numbers + 1 && b.numbers <= a.numbers + 1;
}

void unread_rows_add(struct capture *c, uint32_t number)
{
	diag_count(&c->diag, &unread_rows, number);
}

void unread_rows_count(struct capture *c, const struct diag_kind *other, struct str line,
		       uint32_t number)
{
	if (str_trim(line).len == 0)
		return;
	if (unread_rows_is_row(line))
		unread_rows_add(c, number);
	else
		diag_count(&c->diag, other, number);
}
