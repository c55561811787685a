/* SPDX-License-Identifier: MIT */
#include "base/text/utf8.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"

size_t utf8_decode(struct str s, uint32_t *ret_code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = s.len ? (unsigned char)s.p[0] : 0;
	size_t n = c < 0x80                ? 1
		   : c >= 0xc2 && c < 0xe0 ? 2
		   : (c & 0xf0) == 0xe0    ? 3
		   : c >= 0xf0 && c < 0xf5 ? 4
					   : 0;
	uint32_t code = n == 1 ? c : n == 2 ? c & 0x1f : n == 3 ? c & 0x0f : c & 0x07;

	*ret_code = 0xfffd;
	if (n == 0 || n > s.len)
		return 1;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s.p[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | ((unsigned char)s.p[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 1;
	*ret_code = code;
	return n;
}

size_t utf8_length(struct str s)
{
	uint32_t code;
	size_t n;

	if (s.len == 0)
		return 0;
	n = utf8_decode(s, &code);
	/*
	 * utf8_decode() returns U+FFFD and length 1 for an invalid byte; a U+FFFD in the text has
	 * length 3
	 */
	return code == 0xfffd && n == 1 ? 0 : n;
}

void utf8_encode(struct out *o, uint32_t code)
{
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	if (code < 0x80) {
		out_char(o, (char)code);
	} else if (code < 0x800) {
		out_char(o, (char)(0xc0 | code >> 6));
		out_char(o, (char)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		out_char(o, (char)(0xe0 | code >> 12));
		out_char(o, (char)(0x80 | (code >> 6 & 0x3f)));
		out_char(o, (char)(0x80 | (code & 0x3f)));
	} else {
		out_char(o, (char)(0xf0 | code >> 18));
		out_char(o, (char)(0x80 | (code >> 12 & 0x3f)));
		out_char(o, (char)(0x80 | (code >> 6 & 0x3f)));
		out_char(o, (char)(0x80 | (code & 0x3f)));
	}
}

/* Whether @c takes two columns: roughly the blocks "East Asian Wide" and "Fullwidth" of UAX #11. */
static bool utf8_is_wide(uint32_t c)
{
	return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
	       (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
	       (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
	       (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
	       (c >= 0x20000 && c <= 0x3fffd);
}

static bool utf8_is_combining(uint32_t c)
{
	return (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || c == 0xfeff;
}

/*
 * Find bytes of @w that are not printable ASCII: below 0x20, equal to 0x7f, or with the high bit
 * set. Returns 0 if all bytes are printable ASCII.
 */
static uint64_t utf8_slow_bytes(uint64_t w)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t high = ones * 0x80;

	/*
	 * the subtraction and the sum work on each byte separately: no carry or borrow crosses a
	 * byte
	 */
	return (w | (((w | high) - ones * 0x20) ^ high) | ((w & ~high) + ones)) & high;
}

bool utf8_is_ascii_print(struct str s)
{
	uint64_t bad = 0;
	uint64_t w;

	if (s.len < 8) {
		for (size_t i = 0; i < s.len; i++)
			bad |= (unsigned char)s.p[i] < 0x20 || (unsigned char)s.p[i] >= 0x7f;
		return !bad;
	}
	for (size_t i = 0; i + 8 < s.len; i += 8) {
		memcpy(&w, s.p + i, 8);
		bad |= utf8_slow_bytes(w);
	}
	memcpy(&w, s.p + s.len - 8, 8); /* the last 8 bytes; they overlap with the previous word */
	return !(bad | utf8_slow_bytes(w));
}

bool utf8_is_unseen(uint32_t code)
{
	static const struct {
		uint32_t from;
		uint32_t to;
	} ranges[] = {
		{ 0, 0x1f },
		{ 0x7f, 0x9f },
		{ 0xad, 0xad },
		{ 0x61c, 0x61c },
		{ 0x180e, 0x180e },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0xfeff, 0xfeff },
		{ 0xfff9, 0xfffb },
		{ 0xe0000, 0xe0fff },
		/* marks and letters for which a terminal shows nothing */
		{ 0x34f, 0x34f },
		{ 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },
		{ 0x3164, 0x3164 },
		{ 0xffa0, 0xffa0 },
		{ 0x1d173, 0x1d17a },
	};

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
		if (code >= ranges[i].from && code <= ranges[i].to)
			return true;
	}
	return false;
}

size_t utf8_width(struct str s)
{
	size_t width = 0;

	if (utf8_is_ascii_print(s))
		return s.len;
	while (s.len) {
		uint32_t c;
		size_t n = utf8_decode(s, &c);

		if (!utf8_is_combining(c))
			width += utf8_is_wide(c) ? 2 : 1;
		s = str_skip(s, n);
	}
	return width;
}

bool utf8_valid(struct str s)
{
	while (s.len) {
		size_t n = utf8_length(s);

		if (n == 0)
			return false;
		s = str_skip(s, n);
	}
	return true;
}

/* Whether @word is a unit: "%", "ms,", "%)". A unit must stay on the same line as its number. */
static bool utf8_is_unit(struct str word)
{
	static const char *const units[] = {
		"%", "ns", "\u00b5s", "us", "ms", "s", "kB", "MB", "GB"
	};

	while (word.len && strchr(",.;:)", word.p[word.len - 1]))
		word.len--;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_eq(word, str_of(units[i])))
			return true;
	}
	return false;
}

/*
 * Move the next word of @s to @ret. If the word is a number, also move its unit: "12 ms". A line
 * break must not separate them.
 */
static bool utf8_next(struct str *s, struct str *ret)
{
	struct str rest;
	struct str unit;

	if (!str_word(s, ret))
		return false;
	rest = *s;
	if (!(ret->p[ret->len - 1] >= '0' && ret->p[ret->len - 1] <= '9') ||
	    !str_word(&rest, &unit) || unit.p != ret->p + ret->len + 1 || !utf8_is_unit(unit))
		return true;
	ret->len += 1 + unit.len;
	*s = rest;
	return true;
}

void utf8_fill(struct out *o, struct str s, size_t from, size_t limit)
{
	utf8_fill_at(o, s, from, from, limit);
}

void utf8_fill_at(struct out *o, struct str s, size_t at, size_t from, size_t limit)
{
	struct str word;

	while (utf8_next(&s, &word)) {
		size_t width = utf8_width(word);

		if (at > from && at + 1 + width > limit) {
			out_char(o, '\n');
			out_repeat(o, ' ', from);
			at = from;
		} else if (at > from) {
			out_char(o, ' ');
			at++;
		}
		out_str(o, word);
		at += width;
	}
}
