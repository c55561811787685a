/* SPDX-License-Identifier: MIT */
#include "core/names/side_words.h"

#define SIDE_WORD_MAX 24u

static const char base_words[] = "before|old|base|baseline|vanilla|unpatched|without|w/o|original|"
				 "orig|master|main|mainline|upstream|stock|reference|unmodified|"
				 "previous|previously|prev|parent|head^|head~|head~1|unfixed|"
				 "pre-patch|prepatch|disabled|off|no-patch|default";
static const char changed_words[] = "after|new|patched|with|fixed|patch|patched-kernel|optimized|"
				    "optimised|improved|now|modified|this|applied|"
				    "post-patch|postpatch|enabled|on";

/*
 * These words are also common outside comparisons. They name a side only if the text has no other
 * word from the two lists above.
 */
static const char weak_words[] = "with|on|off|patch|main|this|now|default|enabled|disabled|"
				 "parent|applied|reference|master|upstream|mainline|stock";

static bool side_is_part(char c)
{
	return (c >= 'a' && c <= 'z') || char_is_digit(c) || c == '^' || c == '~' || c == '-' ||
	       c == '/';
}

enum side side_of_words(struct str s)
{
	unsigned int weight[3] = { 0, 0, 0 };
	char word[SIDE_WORD_MAX];
	size_t n = 0;

	for (size_t i = 0; i <= s.len; i++) {
		char c = i < s.len ? s.p[i] : ' ';
		struct str w = { word, n };

		c = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
		if (i < s.len && side_is_part(c)) {
			if (n < sizeof(word))
				word[n++] = c;
			continue;
		}
		n = 0;
		if (w.len == 0 || w.len == sizeof(word))
			continue;
		if (str_glob(str_of(base_words), w))
			weight[SIDE_BASE] += str_glob(str_of(weak_words), w) ? 1 : 8;
		else if (str_glob(str_of(changed_words), w))
			weight[SIDE_CHANGED] += str_glob(str_of(weak_words), w) ? 1 : 8;
	}
	if (weight[SIDE_BASE] / 8 == weight[SIDE_CHANGED] / 8 && weight[SIDE_BASE] >= 8)
		return SIDE_UNKNOWN;
	return weight[SIDE_BASE] > weight[SIDE_CHANGED]   ? SIDE_BASE
	       : weight[SIDE_CHANGED] > weight[SIDE_BASE] ? SIDE_CHANGED
							  : SIDE_UNKNOWN;
}
