/* SPDX-License-Identifier: MIT */
#include "base/scan.h"

#ifdef __SSE2__
#include <emmintrin.h>

/* Bit i: byte i of the 16 at @p is @c. */
static unsigned int scan_mask(const char *p, __m128i c)
{
	__m128i v;

	memcpy(&v, p, sizeof(v));
	return (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(v, c));
}

size_t scan_count(struct str s, char c)
{
	const __m128i want = _mm_set1_epi8(c);
	size_t n = 0;
	size_t i = 0;

	/* 255 rounds at most before a byte counter could overflow */
	while (s.len - i >= 16) {
		size_t rounds = (s.len - i) / 16;
		__m128i bytes = _mm_setzero_si128();
		uint64_t halves[2];

		if (rounds > 255)
			rounds = 255;
		for (; rounds; rounds--, i += 16) {
			__m128i v;

			memcpy(&v, s.p + i, sizeof(v));
			bytes = _mm_sub_epi8(bytes, _mm_cmpeq_epi8(v, want));
		}
		bytes = _mm_sad_epu8(bytes, _mm_setzero_si128());
		memcpy(halves, &bytes, sizeof(bytes));
		n += halves[0] + halves[1];
	}
	for (; i < s.len; i++)
		n += s.p[i] == c;
	return n;
}

size_t scan_empty_line(struct str s, size_t *ret_newlines)
{
	const __m128i nl = _mm_set1_epi8('\n');
	size_t n = 0;
	size_t i = 0;

	for (; s.len - i > 16; i += 16) {
		unsigned int first = scan_mask(s.p + i, nl);
		unsigned int pairs = first & scan_mask(s.p + i + 1, nl);

		if (UNLIKELY(pairs)) {
			unsigned int at = (unsigned int)__builtin_ctz(pairs);

			n += (unsigned int)__builtin_popcount(first & ((1u << at) - 1));
			*ret_newlines = n;
			return i + at;
		}
		n += (unsigned int)__builtin_popcount(first);
	}
	for (; i < s.len; i++) {
		if (s.p[i] != '\n')
			continue;
		if (i + 1 < s.len && s.p[i + 1] == '\n')
			break;
		n++;
	}
	*ret_newlines = n;
	return i;
}
#else
size_t scan_count(struct str s, char c)
{
	const char *p = s.p;
	const char *end = s.p + s.len;
	size_t n = 0;

	while (p < end && (p = memchr(p, c, (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}

size_t scan_empty_line(struct str s, size_t *ret_newlines)
{
	size_t n = 0;
	size_t i = 0;

	for (;;) {
		i += str_find_char(str_skip(s, i), '\n');
		if (i >= s.len || (i + 1 < s.len && s.p[i + 1] == '\n'))
			break;
		n++;
		i++;
	}
	*ret_newlines = n;
	return i;
}
#endif

size_t scan_lines(struct str text)
{
	return scan_count(text, '\n') + (text.len && text.p[text.len - 1] != '\n');
}
