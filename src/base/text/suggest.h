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
	char best[SUGGEST_MAX + 1]; /* "": nothing is like it */
	unsigned int distance;      /* of best */
};

void suggest_init(struct suggest *s, struct str word);
/* Take @candidate if it is like the word, and more than the earlier ones. */
void suggest_try(struct suggest *s, struct str candidate);
/*
 * Letters that were left out, added, replaced or exchanged with the next one; SUGGEST_MAX + 1:
 * one of them is too long.
 */
unsigned int suggest_distance(struct str a, struct str b);

#endif
