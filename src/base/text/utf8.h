/* SPDX-License-Identifier: MIT */
/* utf8.h - the part of Unicode that a text tool needs (RFC 3629) */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

struct out;

/* Bytes of the valid UTF-8 sequence at the start of @s (1 to 4), 0 if there is none. */
size_t utf8_length(struct str s);
/* Decode the sequence at the start of @s; U+FFFD and 1 byte if it is not valid. */
size_t utf8_decode(struct str s, uint32_t *ret_code);
/* Append @code as UTF-8; U+FFFD for surrogates and values past U+10FFFF. */
void utf8_encode(struct out *o, uint32_t code);
/*
 * Whether a terminal or viewer shows nothing for @code or moves other text: control characters,
 * marks of direction, joiners, soft hyphen, tags (Unicode 15.1: categories Cc, Zl and Zp, and whole
 * blocks that have characters of Cf).
 */
bool utf8_is_unseen(uint32_t code);
/* Terminal columns of @s; a wide East Asian character takes two. */
size_t utf8_width(struct str s);
/*
 * Append the words of @s, with line breaks before column @limit. Each line begins in column @from.
 */
void utf8_fill(struct out *o, struct str s, size_t from, size_t limit);
/*
 * As utf8_fill(), if the current line already has @at columns; a blank precedes the first word if
 * @at > @from.
 */
void utf8_fill_at(struct out *o, struct str s, size_t at, size_t from, size_t limit);
/* Whether all bytes of @s are printable ASCII: 0x20 to 0x7e. */
bool utf8_is_ascii_print(struct str s);
bool utf8_valid(struct str s);

#endif
