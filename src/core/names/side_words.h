/* SPDX-License-Identifier: MIT */
/*
 * side_words.h - which of two measurements a text means: "before", "with the patch"
 */
#ifndef CORE_SIDE_WORDS_H
#define CORE_SIDE_WORDS_H

#include "base/str.h"

enum side {
	SIDE_UNKNOWN,
	SIDE_BASE,    /* before, old, without the patch */
	SIDE_CHANGED, /* after, new, with the patch */
};

/*
 * The side that @s names. Words of both ("before and after") name none.
 * Cost: O(length of @s).
 */
enum side side_of_words(struct str s);

#endif
