/* SPDX-License-Identifier: MIT */
/*
 * scan.h - scans of large text at memory speed
 *
 * Scans that memchr() cannot do in one pass. Uses SSE2 where the compiler has it, 8-byte words
 * elsewhere; results are equal.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include "base/str.h"

/* Count @c in @s. Cost: about 10 GB/s. */
size_t scan_count(struct str s, char c);
/* Count the lines of @text, a last one without a newline included. */
size_t scan_lines(struct str text);
/*
 * Place of the first @needle of two or more bytes in @s, or s.len. Cost: 16 bytes a step, and a
 * comparison for each place of the first two bytes: for short texts.
 */
size_t scan_find_in_line(struct str s, struct str needle);
/* Place of the first "\n\n" in @s, or s.len. */
size_t scan_empty_line(struct str s);

#endif
