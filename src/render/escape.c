/* SPDX-License-Identifier: MIT */
#include "render/escape.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"

void escape_text(struct out *out, struct str s)
{
	size_t plain = 0;

	if (utf8_is_ascii_print(s)) {
		out_str(out, s);
		return;
	}
	for (size_t i = 0; i < s.len;) {
		unsigned char c = (unsigned char)s.p[i];
		uint32_t code = c;
		size_t n = 1;

		if (LIKELY(c >= 0x20 && c < 0x7f)) {
			i++;
			continue;
		}
		if (c >= 0x80) {
			n = utf8_length(str_skip(s, i));
			if (n)
				(void)utf8_decode(str_skip(s, i), &code);
		}
		if (n && !utf8_is_unseen(code)) {
			i += n;
			continue;
		}
		out_bytes(out, s.p + plain, i - plain);
		if (n > 1)
			out_printf(out, "\\u%04x", code);
		else
			out_printf(out, "\\x%02x", c);
		i += n ? n : 1;
		plain = i;
	}
	out_bytes(out, s.p + plain, s.len - plain);
}
