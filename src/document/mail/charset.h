/* SPDX-License-Identifier: MIT */
/* charset.h - convert UTF-16, Latin-1 and Windows-1252 to UTF-8 */
#ifndef DOCUMENT_CHARSET_H
#define DOCUMENT_CHARSET_H

#include "base/str.h"

struct line_breaks;
struct out;
struct piece;

enum charset {
	CHARSET_UTF8, /* UTF-8 or its subset US-ASCII, which needs no conversion */
	CHARSET_LATIN1,
	CHARSET_WINDOWS_1252,
	CHARSET_UTF16_LE,
	CHARSET_UTF16_BE,
	CHARSET_OTHER, /* recognised, but not converted */
};

/*
 * Detect the encoding of a text that starts with @head: by its byte order mark or, for UTF-16
 * without such a mark, by its zero bytes. *@ret_bom: size of the byte order mark.
 */
enum charset charset_detect(struct str head, size_t *ret_bom);
/* The charset named @name in a mail header; CHARSET_UTF8 for an empty name. */
enum charset charset_named(struct str name);

/*
 * Convert the UTF-16 text @p to UTF-8 and append it to @out. If @p has line breaks (a map to
 * original lines), @ret receives the line breaks of the result. Half of a surrogate pair and an odd
 * last byte become U+FFFD. Returns false if the output was truncated at @limit bytes.
 */
bool charset_from_utf16(const struct piece *p, bool is_big_endian, size_t limit, struct out *out,
			struct line_breaks *ret);
/* Convert a line from Latin-1 or Windows-1252 to UTF-8 and append it. */
void charset_from_latin(struct str line, enum charset from, struct out *out);

#endif
