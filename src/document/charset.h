/* SPDX-License-Identifier: MIT */
/*
 * charset.h - to UTF-8 from what text is met in: UTF-16, Latin-1, Windows-1252
 */
#ifndef DOCUMENT_CHARSET_H
#define DOCUMENT_CHARSET_H

#include "document/linemap.h"

enum charset {
	CHARSET_UTF8, /* and its subset US-ASCII: taken as it is */
	CHARSET_LATIN1,
	CHARSET_WINDOWS_1252,
	CHARSET_UTF16_LE,
	CHARSET_UTF16_BE,
	CHARSET_OTHER, /* known to be something that is not converted */
};

/*
 * What a text that starts with @head is written in, by its byte order mark or,
 * for UTF-16 without one, by its zero bytes. *@ret_bom: bytes of the mark.
 */
enum charset charset_detect(struct str head, size_t *ret_bom);
/* The charset that a mail header calls @name; CHARSET_UTF8 for no name. */
enum charset charset_named(struct str name);

/*
 * Append the UTF-16 text of @p as UTF-8 to @out; @ret takes the way back if @p
 * had one. A half pair or odd byte becomes U+FFFD. False: past @limit bytes,
 * and the rest was cut.
 */
bool charset_from_utf16(const struct piece *p, bool is_big_endian, size_t limit, struct out *out,
			struct line_breaks *ret);
/* Append one line of Latin-1 or Windows-1252. */
void charset_from_latin(struct str line, enum charset from, struct out *out);

#endif
