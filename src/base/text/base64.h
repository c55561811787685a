/* SPDX-License-Identifier: MIT */
/* base64.h - write bytes as base64 (RFC 4648, section 4) */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>

struct out;

/* Append @n bytes, with padding if @n is no multiple of 3. */
void base64_write(struct out *out, const void *bytes, size_t n);

#endif
