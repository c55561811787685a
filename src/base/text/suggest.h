/* SPDX-License-Identifier: MIT */
/* suggest.h - for "did you mean": find the candidate that is most similar to a mistyped word */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/str.h"

#define SUGGEST_MAX 64u /* longer words and candidates are not compared */

struct suggest {
	struct str word;
	char best[SUGGEST_MAX + 1]; /* the most similar candidate; "": no candidate is similar */
	unsigned int distance;      /* suggest_distance() between `best` and the mistyped word */
};

void suggest_init(struct suggest *s, struct str word);
/*
 * Compare the word with @candidate, and remember it in s->best if it is similar. @candidate must
 * not be equal to the word, and must be more similar than all earlier candidates.
 */
void suggest_try(struct suggest *s, struct str candidate);
/*
 * The number of changes that turn @a into @b. One change leaves out, adds or replaces a letter, or
 * swaps two neighbours. Returns SUGGEST_MAX + 1 if @a or @b is too long.
 */
unsigned int suggest_distance(struct str a, struct str b);

#endif
