/* SPDX-License-Identifier: MIT */
#include "formats/profilers/listing_name.h"

#include "base/str.h"

/*
 * Words that may precede the function's name in a sentence about the next rows: "On annotating
 * seek_block()".
 */
#define LISTING_NAME_LEADS                                                                 \
	"On|on|When|when|For|for|In|in|And|and|Annotating|annotating|Annotated|annotated|" \
	"Function|function|Then|then"

bool listing_name_has(char c)
{
	return c == '_' || c == ':' || c == '.' || char_is_digit(c) ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Length of the function name at the start of @word. */
static size_t listing_name_length(struct str word)
{
	size_t n = 0;

	while (n < word.len && listing_name_has(word.p[n]))
		n++;
	return n;
}

struct str listing_name_above(struct str above)
{
	struct str line;
	struct str found = STR_NONE;

	while (str_line(&above, &line)) {
		struct str rest = str_skip(line, str_find(line, STR("annotat")));
		struct str word;

		while (str_word(&rest, &word)) {
			size_t n = listing_name_length(word);

			if (n > 2 && (str_find_char(str_sub(word, 0, n), '_') < n ||
				      str_starts(str_skip(word, n), STR("()")))) {
				found = str_sub(word, 0, n);
				break;
			}
		}
	}
	return found;
}

/* Take a function such as "f()" from the start of @word. False: @word does not start with one. */
static bool listing_name_call(struct str word, struct str *ret)
{
	size_t n = listing_name_length(word);

	*ret = str_sub(word, 0, n);
	return n > 2 && str_starts(str_skip(word, n), STR("()"));
}

bool listing_name_in_prose(struct str line, struct str *ret)
{
	struct str word, other;
	bool has_lead = false;
	bool has_more;

	if (!str_word(&line, &word))
		return false;
	while (str_glob(STR(LISTING_NAME_LEADS), word)) {
		has_lead = true;
		if (!str_word(&line, &word))
			return false;
	}
	if (!listing_name_call(word, ret) || (!has_lead && !str_ends(word, STR(":"))))
		return false;
	/*
	 * the sentence names several functions: "f() & g()", "f(), g()"; the second may be in the
	 * next line
	 */
	has_more = str_ends(word, STR(","));
	if (str_word(&line, &word) && str_glob(STR("&|and|or"), word)) {
		has_more = true;
		word = STR_NONE;
		(void)str_word(&line, &word);
	}
	if ((has_more && word.len == 0) || listing_name_call(word, &other))
		*ret = STR_NONE;
	return true;
}
