/* SPDX-License-Identifier: MIT */
/*
 * scan.h - searches in large texts, at the speed of memory
 *
 * memchr() would need several passes for these searches. They use SSE2 if the compiler supports it,
 * and words of 8 bytes otherwise. The results are the same.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include "base/str.h"

/* Number of @c in @s. Cost: about 10 GB/s. */
size_t scan_count(struct str s, char c);
/* Number of lines of @text. The last line may lack a newline. */
size_t scan_lines(struct str text);
/*
 * The offset of the first @needle in @s. Returns s.len if there is none. @needle has two or more
 * bytes. Fast for short texts only: the function examines 16 bytes at a time, and compares @needle
 * wherever its first two bytes occur.
 */
size_t scan_find_in_line(struct str s, struct str needle);
/*
 * Find the next alternative of the glob @pattern that can match a text that begins like @s. '|'
 * separates the alternatives, which are not empty: in "ab*|c?|*x", the second and third can match
 * "cd". Such an alternative begins with '*', with '?' or with the first character of @s. The search
 * starts at @from: 0, or an offset in or after the previous alternative. Returns the offset of the
 * alternative in @pattern, or pattern.len if there is none.
 */
size_t scan_alternative(struct str pattern, size_t from, struct str s);

#endif
