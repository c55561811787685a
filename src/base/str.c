/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include "base/number.h"
#include "base/text/scan.h"

#include <stdlib.h>

/*
 * texts of at most this length are searched with scan_find_in_line(), because memmem() first builds
 * a table
 */
#define STR_LINE 512u
/* a number with fewer digits than this is below 2^53, so a double holds it exactly */
#define STR_EXACT_DIGITS 16u

size_t str_find(struct str s, struct str needle)
{
	const char *q;

	if (needle.len == 0)
		return 0;
	if (s.len < needle.len)
		return s.len;
	if (needle.len == 1)
		return str_find_char(s, needle.p[0]);
	if (s.len <= STR_LINE)
		return scan_find_in_line(s, needle);
	q = memmem(s.p, s.len, needle.p, needle.len);
	return q ? (size_t)(q - s.p) : s.len;
}

size_t str_rfind_char(struct str s, char c)
{
	const char *q = s.len ? memrchr(s.p, c, s.len) : NULL;

	return q ? (size_t)(q - s.p) : s.len;
}

bool str_contains(struct str s, struct str needle)
{
	return needle.len == 0 || str_find(s, needle) < s.len;
}

bool str_starts_nocase(struct str s, struct str prefix)
{
	if (s.len < prefix.len)
		return false;
	for (size_t i = 0; i < prefix.len; i++) {
		if (char_lower(s.p[i]) != char_lower(prefix.p[i]))
			return false;
	}
	return true;
}

bool str_eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && str_starts_nocase(a, b);
}

bool str_contains_nocase(struct str s, struct str needle)
{
	char first = needle.len ? needle.p[0] : 0;
	bool is_letter = char_is_letter(first);
	size_t other = s.len; /* offset of the first letter in its other case */
	size_t at;

	if (needle.len == 0)
		return true;
	at = str_find_char(s, first);
	if (is_letter)
		other = str_find_char(s, (char)(first ^ 0x20));
	for (;;) {
		size_t *next = at < other ? &at : &other;

		if (*next + needle.len > s.len)
			return false;
		if (str_starts_nocase(str_skip(s, *next), needle))
			return true;
		*next += 1 + str_find_char(str_skip(s, *next + 1),
					   next == &at ? first : (char)(first ^ 0x20));
	}
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	if (c)
		return c;
	return a.len < b.len ? -1 : a.len > b.len;
}

bool str_word(struct str *s, struct str *ret_word)
{
	const char *end = s->p + s->len;
	const char *from = s->p;
	const char *to;

	while (from < end && char_is_space(*from))
		from++;
	to = from;
	while (to < end && !char_is_space(*to))
		to++;
	if (to == from)
		return false;
	*ret_word = (struct str){ from, (size_t)(to - from) };
	*s = (struct str){ to, (size_t)(end - to) };
	return true;
}

bool str_u64(struct str *s, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < s->len && char_is_digit(s->p[i]); i++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s->p[i] - '0'), &v))
			return false;
	}
	if (i == 0)
		return false;
	*ret = v;
	*s = str_skip(*s, i);
	return true;
}

bool str_hex64(struct str *s, uint64_t *ret)
{
	struct str t = *s;
	uint64_t v = 0;
	size_t i = 0;

	if (t.len > 2 && t.p[0] == '0' && (t.p[1] | 0x20) == 'x' && char_hex(t.p[2]) >= 0)
		t = str_skip(t, 2);
	for (; i < t.len && char_hex(t.p[i]) >= 0; i++) {
		if (v >> 60)
			return false;
		v = v << 4 | (uint64_t)char_hex(t.p[i]);
	}
	if (i == 0)
		return false;
	*ret = v;
	*s = str_skip(t, i);
	return true;
}

bool str_fixed(struct str *s, unsigned int decimals, uint64_t *ret, unsigned int *ret_printed)
{
	struct str t = *s;
	unsigned int printed = 0;
	unsigned int kept = 0;
	uint64_t v;

	if (!str_u64(&t, &v))
		return false;
	if (t.len > 1 && (t.p[0] == '.' || t.p[0] == ',') && char_is_digit(t.p[1])) {
		size_t i = 1;

		for (; i < t.len && char_is_digit(t.p[i]); i++, printed++) {
			if (kept == decimals)
				continue;
			kept++;
			if (__builtin_mul_overflow(v, 10, &v) ||
			    __builtin_add_overflow(v, (uint64_t)(t.p[i] - '0'), &v))
				return false;
		}
		t = str_skip(t, i);
	}
	for (; kept < decimals; kept++) {
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	}
	*ret = v;
	if (ret_printed)
		*ret_printed = printed;
	*s = t;
	return true;
}

/*
 * Read a number such as "0.25", which has no exponent and fewer than STR_EXACT_DIGITS digits. As
 * doubles, its digits and the power of ten are exact, so their quotient is correctly rounded.
 * Returns the length of the number; 0: the text is not such a number.
 */
static size_t str_double_short(struct str s, double *ret)
{
	bool is_negative = s.len && s.p[0] == '-';
	size_t i = is_negative;
	size_t point = SIZE_MAX;
	uint64_t digits = 0;
	size_t n = 0;

	for (; i < s.len && n < STR_EXACT_DIGITS; i++) {
		if (char_is_digit(s.p[i])) {
			digits = digits * 10 + (uint64_t)(s.p[i] - '0');
			n++;
		} else if (s.p[i] == '.' && point == SIZE_MAX) {
			point = i;
		} else {
			break;
		}
	}
	if (n == 0 || n == STR_EXACT_DIGITS || (i < s.len && (s.p[i] | 0x20) == 'e'))
		return 0;
	*ret = (double)digits / number_pow10(point == SIZE_MAX ? 0 : (int)(i - point - 1));
	*ret = is_negative ? -*ret : *ret;
	return i;
}

bool str_double(struct str *s, double *ret)
{
	char buf[64];
	size_t n = str_double_short(*s, ret);
	char *end;
	double v;

	if (n) {
		*s = str_skip(*s, n);
		return true;
	}
	/*
	 * Copy the number, because strtod() needs a NUL. Copy only characters of decimal numbers,
	 * because strtod() also accepts "inf" and hex numbers.
	 */
	while (n < s->len && n < sizeof(buf) - 1 &&
	       (char_is_digit(s->p[n]) || s->p[n] == '.' || s->p[n] == '-' || s->p[n] == '+' ||
		s->p[n] == 'e' || s->p[n] == 'E')) {
		buf[n] = s->p[n];
		n++;
	}
	buf[n] = '\0';
	v = strtod(buf, &end);
	if (end == buf)
		return false;
	*ret = v;
	*s = str_skip(*s, (size_t)(end - buf));
	return true;
}

uint32_t str_hash32(struct str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

static bool str_glob_one(struct str pat, struct str s)
{
	size_t i = 0;
	size_t j = 0;
	size_t star = SIZE_MAX;
	size_t mark = 0;

	while (j < s.len) {
		if (i < pat.len && pat.p[i] == '*') {
			star = i++;
			mark = j;
		} else if (i < pat.len && (pat.p[i] == '?' || pat.p[i] == s.p[j])) {
			i++;
			j++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			j = ++mark;
		} else {
			return false;
		}
	}
	while (i < pat.len && pat.p[i] == '*')
		i++;
	return i == pat.len;
}

static uint32_t str_letters(struct str s)
{
	uint32_t letters = 0;

	for (size_t i = 0; i < s.len; i++)
		letters |= str_letter(s.p[i]);
	return letters;
}

/* Whether one of the alternatives of @pattern is empty. */
static bool str_has_empty(struct str pattern)
{
	return pattern.len == 0 || pattern.p[0] == '|' || pattern.p[pattern.len - 1] == '|' ||
	       str_contains(pattern, STR("||"));
}

/*
 * The letters of @pat, as a set of str_letter() bits. A text that matches @pat must contain all of
 * them.
 */
static uint32_t str_glob_needs(struct str pat)
{
	uint32_t needs = 0;

	for (size_t i = 0; i < pat.len; i++) {
		if (pat.p[i] != '*' && pat.p[i] != '?')
			needs |= str_letter(pat.p[i]);
	}
	return needs;
}

bool str_glob(struct str pattern, struct str s)
{
	uint32_t letters = 0;
	bool has_letters = false;

	/* scan_alternative() skips each alternative that begins with another character than @s */
	for (size_t at = scan_alternative(pattern, 0, s); at < pattern.len;
	     at = scan_alternative(pattern, at, s)) {
		struct str one = { pattern.p + at, 0 };
		char second = at + 1 < pattern.len ? pattern.p[at + 1] : '*';

		/* most texts do not need the set of their letters, so make the set on first use */
		if (!has_letters && one.p[0] == '*') {
			letters = str_letters(s);
			has_letters = true;
		}
		if (one.p[0] == '*' && second != '*' && second != '?' && second != '|' &&
		    !(letters & str_letter(second))) {
			at++; /* skip the '*', so that scan_alternative() finds the next '|' */
			continue;
		}
		while (at < pattern.len && pattern.p[at] != '|')
			at++;
		one.len = (size_t)(pattern.p + at - one.p);
		if (!(has_letters && str_glob_needs(one) & ~letters) && str_glob_one(one, s))
			return true;
	}
	return s.len == 0 && str_has_empty(pattern);
}
