/* SPDX-License-Identifier: MIT */
/* side_words.h - the side of a comparison that a text names: "before", "with the patch" */
#ifndef CORE_SIDE_WORDS_H
#define CORE_SIDE_WORDS_H

#include "base/str.h"

enum side {
	SIDE_UNKNOWN,
	SIDE_BASE,    /* before, old, without the patch */
	SIDE_CHANGED, /* after, new, with the patch */
};

/*
 * The side that @s names. A text with words of both sides ("before and after") names none. Cost:
 * O(length of @s).
 */
enum side side_of_words(struct str s);

#endif
