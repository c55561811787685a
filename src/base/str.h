/* SPDX-License-Identifier: MIT */
/*
 * str.h - views of text: a pointer and a length, without a terminating NUL
 *
 * Inputs are mapped files, so no function here needs a terminator or writes to the text. A view
 * borrows its memory, and is valid as long as that memory is. Functions that consume text
 * (`str_line`, `str_word`, `str_u64` …) take a pointer to the view and advance its start. If they
 * fail, they leave the view unchanged.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/status.h"

#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t len;
};

#define STR(lit)   ((struct str){ (lit), sizeof(lit) - 1 })
#define STR_NONE   ((struct str){ NULL, 0 })
#define STR_FMT    "%.*s"
#define STR_ARG(s) (int)((s).len > INT32_MAX ? INT32_MAX : (s).len), (s).p

static inline struct str str_of(const char *z)
{
	return (struct str){ z, z ? strlen(z) : 0 };
}

static inline struct str str_sub(struct str s, size_t from, size_t to)
{
	if (to > s.len)
		to = s.len;
	if (from > to)
		from = to;
	return (struct str){ s.p + from, to - from };
}

static inline struct str str_skip(struct str s, size_t n)
{
	return str_sub(s, n, s.len);
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.p, prefix.p, prefix.len) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len &&
	       (suffix.len == 0 || memcmp(s.p + s.len - suffix.len, suffix.p, suffix.len) == 0);
}

static inline bool char_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* These functions know only ASCII letters, whatever the locale is. */
static inline bool char_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool char_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool char_is_letter(char c)
{
	return char_is_upper(c) || char_is_lower(c);
}

/* Whether @c can be a part of a name in most programming languages. */
static inline bool char_is_word(char c)
{
	return char_is_letter(c) || char_is_digit(c) || c == '_';
}

static inline char char_lower(char c)
{
	return char_is_upper(c) ? (char)(c | 0x20) : c;
}

static inline bool char_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool char_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Value of a hex digit, or -1. */
static inline int char_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Copy @s to @buf in lower case. @buf must have room for s.len characters. */
static inline struct str str_lower(struct str s, char *buf)
{
	for (size_t i = 0; i < s.len; i++)
		buf[i] = char_lower(s.p[i]);
	return (struct str){ buf, s.len };
}

/* Index of the first @c in @s; s.len: none. */
static inline size_t str_find_char(struct str s, char c)
{
	const char *q = s.len ? memchr(s.p, c, s.len) : NULL;

	return q ? (size_t)(q - s.p) : s.len;
}

/* Index of the first @needle in @s; s.len: none. Cost: that of memmem(). */
size_t str_find(struct str s, struct str needle);
/* Index of the last @c in @s; s.len: none. */
size_t str_rfind_char(struct str s, char c);
bool str_contains(struct str s, struct str needle);
/* As str_eq(), str_starts() and str_contains(), but the case of ASCII letters is ignored. */
bool str_eq_nocase(struct str a, struct str b);
bool str_starts_nocase(struct str s, struct str prefix);
bool str_contains_nocase(struct str s, struct str needle);
/*
 * Compare like memcmp(): the result is negative, 0 or positive. If one text is the beginning of the
 * other, the shorter text comes first.
 */
int str_cmp(struct str a, struct str b);

/*
 * Remove blanks (space, tab, CR, LF, VT, FF): str_ltrim() at the start, str_rtrim() at the end,
 * str_trim() at both.
 */
static inline struct str str_ltrim(struct str s)
{
	while (s.len && char_is_space(s.p[0])) {
		s.p++;
		s.len--;
	}
	return s;
}

static inline struct str str_rtrim(struct str s)
{
	while (s.len && char_is_space(s.p[s.len - 1]))
		s.len--;
	return s;
}

static inline struct str str_trim(struct str s)
{
	return str_rtrim(str_ltrim(s));
}

/*
 * Move the next line of @text to @ret_line, without its '\n' or "\r\n". The last line may lack the
 * '\n'. False: @text is empty. Cost: one memchr().
 */
static inline bool str_line(struct str *text, struct str *ret_line)
{
	const char *nl;
	size_t n;

	if (text->len == 0)
		return false;
	nl = memchr(text->p, '\n', text->len);
	n = nl ? (size_t)(nl - text->p) : text->len;
	*ret_line = (struct str){ text->p, n };
	text->p += n + (nl != NULL);
	text->len -= n + (nl != NULL);
	if (ret_line->len && ret_line->p[ret_line->len - 1] == '\r')
		ret_line->len--;
	return true;
}

/*
 * Skip blanks, then move the next word to @ret_word: the characters up to the next blank or the
 * end. False: there is no word left.
 */
bool str_word(struct str *s, struct str *ret_word);
/* Skip @prefix. False: @s does not begin with @prefix. */
static inline bool str_take(struct str *s, struct str prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_skip(*s, prefix.len);
	return true;
}
/* Read decimal digits as a number. False: there is no digit, or the number is above 2^64 - 1. */
bool str_u64(struct str *s, uint64_t *ret);
/*
 * Read hex digits as a number, with or without "0x". False: there is no digit, or the number has
 * more than 64 bits.
 */
bool str_hex64(struct str *s, uint64_t *ret);
/*
 * Read an unsigned decimal number, whose fraction may begin with '.' or ','. @ret receives the
 * number times 10^@decimals: "26.76" with @decimals 2 gives 2676. Further decimals are cut.
 * @ret_printed (may be NULL) receives the number of decimals in the text. False: there is no digit,
 * or the number is too large.
 */
bool str_fixed(struct str *s, unsigned int decimals, uint64_t *ret, unsigned int *ret_printed);
/*
 * Read a floating point number ("1e-3", "0.3999999999999999", "-2"). The result is correctly
 * rounded. False: there is no number.
 */
bool str_double(struct str *s, double *ret);

/* The 32-bit FNV-1a hash. Good enough for small tables only. */
uint32_t str_hash32(struct str s);

/*
 * Whether @s matches @pattern: '*' matches any number of characters, '?' matches one character, '|'
 * separates alternatives. All other characters match themselves; upper and lower case differ. Cost:
 * linear for a pattern with one '*'.
 */
bool str_glob(struct str pattern, struct str s);
/*
 * The bit of the character @c in a set of 32 bits; several characters share a bit. A text can match
 * a pattern only if it contains all letters of the pattern. So if the text's set lacks a bit of the
 * pattern's set, the text does not match.
 */
static inline uint32_t str_letter(char c)
{
	return UINT32_C(1) << ((unsigned char)c & 31);
}

#endif
