/* SPDX-License-Identifier: MIT */
/* utf8.h - the part of Unicode that a text tool needs (RFC 3629) */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

struct out;

/*
 * The number of bytes (1 to 4) of the UTF-8 sequence at the start of @s. Returns 0 if the sequence
 * is not valid.
 */
size_t utf8_length(struct str s);
/*
 * Decode the character at the start of @s into @ret_code, and return its length. A byte that is not
 * valid gives U+FFFD and the length 1.
 */
size_t utf8_decode(struct str s, uint32_t *ret_code);
/* Append the character @code as UTF-8. A surrogate, or a value above U+10FFFF, becomes U+FFFD. */
void utf8_encode(struct out *o, uint32_t code);
/*
 * Whether a terminal or viewer shows nothing for @code, or changes the order of other text because
 * of it. Examples are control characters, marks of the text direction, joiners, soft hyphens and
 * tags. These are the categories Cc, Zl and Zp of Unicode 15.1, and whole blocks that have
 * characters of Cf.
 */
bool utf8_is_unseen(uint32_t code);
/* Number of terminal columns that @s takes; a wide East Asian character takes two. */
size_t utf8_width(struct str s);
/*
 * Append the words of @s, with line breaks so that a line has at most @limit columns. Each new line
 * begins in column @from. A longer word is not broken.
 */
void utf8_fill(struct out *o, struct str s, size_t from, size_t limit);
/*
 * As utf8_fill(), but the current line already has @at columns. If @at > @from, a blank or a line
 * break comes before the first word.
 */
void utf8_fill_at(struct out *o, struct str s, size_t at, size_t from, size_t limit);
/* Whether all bytes of @s are printable ASCII: 0x20 to 0x7e. */
bool utf8_is_ascii_print(struct str s);
bool utf8_valid(struct str s);

#endif
