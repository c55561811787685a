/* SPDX-License-Identifier: MIT */
#include "base/text/base64.h"

#include "base/out.h"

#include <stdint.h>

void base64_write(struct out *out, const void *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
			     (i + 2 < n ? p[i + 2] : 0);
		char four[4] = { digits[v >> 18], digits[v >> 12 & 63],
				 i + 1 < n ? digits[v >> 6 & 63] : '=',
				 i + 2 < n ? digits[v & 63] : '=' };

		out_bytes(out, four, sizeof(four));
	}
}
