/* SPDX-License-Identifier: MIT */
/*
 * suggest.h - "did you mean": the candidate that is most like a mistyped word
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/str.h"

#define SUGGEST_MAX 64u /* longer words get no suggestion */

struct suggest {
	struct str word;
	char best[SUGGEST_MAX + 1]; /* the most similar candidate; "": no candidate is similar */
	unsigned int distance;      /* suggest_distance() between `best` and the word */
};

void suggest_init(struct suggest *s, struct str word);
/*
 * Take @candidate if it is similar to the word, not equal, and more similar than all earlier
 * candidates.
 */
void suggest_try(struct suggest *s, struct str candidate);
/*
 * Number of letters that were left out, added, replaced or exchanged with the next one.
 * Returns SUGGEST_MAX + 1 if @a or @b is too long.
 */
unsigned int suggest_distance(struct str a, struct str b);

#endif
