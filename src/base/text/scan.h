/* SPDX-License-Identifier: MIT */
/*
 * scan.h - scans of large text at memory speed
 *
 * These are searches that memchr() cannot do in one pass. They use SSE2 if the compiler has it, and
 * otherwise read words of 8 bytes; results are equal.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include "base/str.h"

/* Count @c in @s. Cost: about 10 GB/s. */
size_t scan_count(struct str s, char c);
/* Count the lines of @text, a last one without a newline included. */
size_t scan_lines(struct str text);
/*
 * Offset of the first @needle (two or more bytes) in @s, or s.len. Examines 16 bytes at a time, and
 * compares the needle at each offset where its first two bytes occur: fast for short texts only.
 */
size_t scan_find_in_line(struct str s, struct str needle);
/*
 * Offset in @pattern of the next alternative, at or after @from, that could match a text that
 * begins like @s. Such an alternative begins with the first character of @s, '*' or '?'.
 * Alternatives are separated by '|' and are not empty. @from is 0, or an offset in or after an
 * alternative. Returns pattern.len if there is none.
 */
size_t scan_alternative(struct str pattern, size_t from, struct str s);

#endif
