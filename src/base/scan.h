/* SPDX-License-Identifier: MIT */
/*
 * scan.h - passes over large text at the speed of memory
 *
 * What memchr does not do in one pass. SSE2 where the compiler has it, words of
 * eight bytes else; the results are the same.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include "base/str.h"

/* How often @c is in @s. Cost: about 10 GB/s. */
size_t scan_count(struct str s, char c);
/* Lines of @text: newlines, and one more if it does not end with one. */
size_t scan_lines(struct str text);
/* Place of the first "\n\n" in @s, or s.len. */
size_t scan_empty_line(struct str s);

#endif
