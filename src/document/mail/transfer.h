/* SPDX-License-Identifier: MIT */
/* transfer.h - transfer encodings of mail bodies (RFC 2045, section 6) */
#ifndef DOCUMENT_TRANSFER_H
#define DOCUMENT_TRANSFER_H

#include <stddef.h>

struct line_breaks;
struct out;
struct piece;

enum transfer {
	TRANSFER_NONE, /* no encoding: 7bit, 8bit, binary */
	TRANSFER_QUOTED_PRINTABLE,
	TRANSFER_BASE64,
};

/*
 * Decode the body @p and append it to @out. @ret maps output lines to the lines of @p. A '=' of
 * quoted-printable or a line of base64 that cannot be decoded is copied unchanged. Returns the
 * number of such cases. Cost: linear.
 */
size_t transfer_quoted_printable(const struct piece *p, struct out *out, struct line_breaks *ret);
size_t transfer_base64(const struct piece *p, struct out *out, struct line_breaks *ret);

#endif
