/* SPDX-License-Identifier: MIT */
#include "document/mail/charset.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "document/clean.h"
#include "document/piece.h"

#define CHARSET_SNIFF_BYTES 4096u

/* Code points of the bytes 0x80 to 0x9f in Windows-1252. */
static const uint16_t charset_cp1252[32] = {
	0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
	0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
	0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
};

/*
 * Whether at least 90 % of the bytes at every second offset, from @zero (0 or 1) on, are zero, and
 * at most 5 % of the other bytes are control characters.
 */
static bool charset_is_half_zero(struct str s, size_t zero)
{
	size_t n = s.len / 2;
	size_t zeros = 0;
	size_t text = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char z = (unsigned char)s.p[2 * i + zero];
		unsigned char c = (unsigned char)s.p[2 * i + 1 - zero];

		zeros += z == 0;
		text += c >= 0x20 || (c >= '\t' && c <= '\r') || c == 0x1b;
	}
	return n >= 8 && zeros * 10 >= n * 9 && text * 20 >= n * 19;
}

enum charset charset_detect(struct str head, size_t *ret_bom)
{
	*ret_bom = 0;
	if (str_starts(head, STR("\xef\xbb\xbf"))) {
		*ret_bom = 3;
		return CHARSET_UTF8;
	}
	if (str_starts(head, STR("\xff\xfe")) || str_starts(head, STR("\xfe\xff"))) {
		*ret_bom = 2;
		return head.p[0] == '\xff' ? CHARSET_UTF16_LE : CHARSET_UTF16_BE;
	}
	head = str_sub(head, 0, CHARSET_SNIFF_BYTES);
	if (charset_is_half_zero(head, 1))
		return CHARSET_UTF16_LE;
	if (charset_is_half_zero(head, 0))
		return CHARSET_UTF16_BE;
	return CHARSET_UTF8;
}

enum charset charset_named(struct str name)
{
	static const struct {
		const char *name;
		enum charset charset;
	} names[] = {
		{ "utf-8", CHARSET_UTF8 },
		{ "utf8", CHARSET_UTF8 },
		{ "us-ascii", CHARSET_UTF8 },
		{ "ascii", CHARSET_UTF8 },
		{ "ansi_x3.4-1968", CHARSET_UTF8 },
		{ "unknown-8bit", CHARSET_UTF8 },
		{ "iso-8859-1", CHARSET_LATIN1 },
		{ "iso8859-1", CHARSET_LATIN1 },
		{ "latin1", CHARSET_LATIN1 },
		/*
		 * ISO-8859-15 differs from Latin-1 in eight characters, which captures do not
		 * contain
		 */
		{ "iso-8859-15", CHARSET_LATIN1 },
		{ "windows-1252", CHARSET_WINDOWS_1252 },
		{ "cp1252", CHARSET_WINDOWS_1252 },
		{ "utf-16", CHARSET_UTF16_BE },
		{ "utf-16be", CHARSET_UTF16_BE },
		{ "utf-16le", CHARSET_UTF16_LE },
	};

	if (name.len == 0)
		return CHARSET_UTF8;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq_nocase(name, str_of(names[i].name)))
			return names[i].charset;
	}
	return CHARSET_OTHER;
}

static uint32_t charset_unit(const char *p, bool is_big_endian)
{
	unsigned char a = (unsigned char)p[0];
	unsigned char b = (unsigned char)p[1];

	return is_big_endian ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

bool charset_from_utf16(const struct piece *p, bool is_big_endian, size_t limit, struct out *out,
			struct line_breaks *ret)
{
	struct str s = p->text;
	size_t first = out->len;
	size_t b = 0;
	size_t i = 0;

	while (i + 1 < s.len && out->len - first < limit) {
		uint32_t code = charset_unit(s.p + i, is_big_endian);

		for (; p->breaks && b < p->breaks->v.len && p->breaks->v.data[b].offset <= i; b++)
			line_breaks_add(ret, out->len - first, p->breaks->v.data[b].line);
		i += 2;
		if (code >= 0xd800 && code < 0xdc00 && i + 1 < s.len) {
			uint32_t low = charset_unit(s.p + i, is_big_endian);

			if (low >= 0xdc00 && low < 0xe000) {
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		if (code < 0x80)
			out_char(out, (char)code);
		else
			utf8_encode(out, code);
	}
	if (i + 1 == s.len)
		utf8_encode(out, 0xfffd);
	return i + 1 >= s.len;
}

void charset_from_latin(struct str line, enum charset from, struct out *out)
{
	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.p[i];

		if (c < 0x80)
			out_char(out, (char)c);
		else if (c < 0xa0 && from == CHARSET_WINDOWS_1252)
			utf8_encode(out, charset_cp1252[c - 0x80]);
		else
			utf8_encode(out, c);
	}
}
