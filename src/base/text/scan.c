/* SPDX-License-Identifier: MIT */
#include "base/text/scan.h"

#include "base/status.h"

/*
 * The offset of the first @needle in @s that starts at @at or later. Returns s.len if there is
 * none.
 */
static size_t scan_find_from(struct str s, struct str needle, size_t at)
{
	while (at + needle.len <= s.len) {
		const char *q = memchr(s.p + at, needle.p[0], s.len - needle.len - at + 1);

		if (!q)
			break;
		at = (size_t)(q - s.p);
		if (memcmp(q, needle.p, needle.len) == 0)
			return at;
		at++;
	}
	return s.len;
}

static bool scan_may_begin(char c, struct str s)
{
	return c == '*' || (s.len && (c == s.p[0] ? c != '|' : c == '?'));
}

/*
 * Do the work of scan_alternative() from the offset @at on, one byte at a time. It is used for the
 * last bytes of @pattern, which do not fill a block of 16 bytes.
 */
static size_t scan_bars(struct str pattern, size_t at, struct str s)
{
	for (; at + 1 < pattern.len; at++) {
		if (pattern.p[at] == '|' && scan_may_begin(pattern.p[at + 1], s))
			return at + 1;
	}
	return pattern.len;
}

#ifdef __SSE2__
#include <emmintrin.h>

size_t scan_alternative(struct str pattern, size_t from, struct str s)
{
	const __m128i bar = _mm_set1_epi8('|');
	const __m128i star = _mm_set1_epi8('*');
	const __m128i any = _mm_set1_epi8(s.len ? '?' : '*');
	const __m128i first = _mm_set1_epi8(s.len && s.p[0] != '|' ? s.p[0] : '*');
	size_t i = from;

	if (i == 0 && pattern.len && scan_may_begin(pattern.p[0], s))
		return 0;
	for (; i + 17 <= pattern.len; i += 16) {
		__m128i a, b;
		unsigned int hits;

		memcpy(&a, pattern.p + i, sizeof(a));
		memcpy(&b, pattern.p + i + 1, sizeof(b));
		b = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(b, star), _mm_cmpeq_epi8(b, any)),
				 _mm_cmpeq_epi8(b, first));
		hits = (unsigned int)_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(a, bar), b));
		if (hits)
			return i + (size_t)__builtin_ctz(hits) + 1;
	}
	return scan_bars(pattern, i, s);
}

size_t scan_find_in_line(struct str s, struct str needle)
{
	const __m128i first = _mm_set1_epi8(needle.p[0]);
	const __m128i second = _mm_set1_epi8(needle.p[1]);
	size_t i = 0;

	for (; i + 17 <= s.len; i += 16) {
		unsigned int hits;
		__m128i a, b;

		memcpy(&a, s.p + i, sizeof(a));
		memcpy(&b, s.p + i + 1, sizeof(b));
		hits = (unsigned int)_mm_movemask_epi8(
			_mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, second)));
		for (; hits; hits &= hits - 1) {
			size_t at = i + (size_t)__builtin_ctz(hits);

			if (at + needle.len > s.len)
				return s.len;
			if (memcmp(s.p + at, needle.p, needle.len) == 0)
				return at;
		}
	}
	return scan_find_from(s, needle, i);
}

size_t scan_count(struct str s, char c)
{
	const __m128i want = _mm_set1_epi8(c);
	size_t n = 0;
	size_t i = 0;

	/*
	 * each byte of `bytes` is a counter that grows by at most 1 per round; 255 rounds cannot
	 * overflow it
	 */
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
#else
size_t scan_alternative(struct str pattern, size_t from, struct str s)
{
	if (from == 0 && pattern.len && scan_may_begin(pattern.p[0], s))
		return 0;
	return scan_bars(pattern, from, s);
}

size_t scan_find_in_line(struct str s, struct str needle)
{
	return scan_find_from(s, needle, 0);
}

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
#endif

size_t scan_lines(struct str text)
{
	return scan_count(text, '\n') + (text.len && text.p[text.len - 1] != '\n');
}
