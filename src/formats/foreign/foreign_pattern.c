/* SPDX-License-Identifier: MIT */
#include "formats/foreign/foreign.h"

#include "base/str.h"

#define FOREIGN_MAX_STEPS 3000u /* maximum number of steps to match one pattern with one line */

static size_t foreign_pattern_number(struct str s)
{
	size_t n = 0;

	while (n < s.len && char_is_digit(s.p[n]))
		n++;
	while (n && n + 1 < s.len && (s.p[n] == '.' || s.p[n] == ',') &&
	       char_is_digit(s.p[n + 1])) {
		n++;
		while (n < s.len && char_is_digit(s.p[n]))
			n++;
	}
	return n;
}

static size_t foreign_pattern_hex(struct str s)
{
	size_t n = 0;

	if (s.len > 2 && s.p[0] == '0' && s.p[1] == 'x')
		n = 2;
	while (n < s.len && char_hex(s.p[n]) >= 0)
		n++;
	return n;
}

static bool foreign_pattern_is_name(char c)
{
	return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/*
 * Number of bytes at the start of @s that the pattern character @c matches; SIZE_MAX: it does not
 * match.
 */
static size_t foreign_pattern_one(char c, struct str s)
{
	size_t n = 0;

	switch (c) {
	case ' ':
	case '~':
		while (n < s.len && char_is_blank(s.p[n]))
			n++;
		return n == 0 && c == ' ' ? SIZE_MAX : n;
	case '#':
		n = foreign_pattern_number(s);
		return n ? n : SIZE_MAX;
	case '$':
		n = foreign_pattern_hex(s);
		return n ? n : SIZE_MAX;
	case '?':
		return s.len && foreign_pattern_is_name(s.p[0]) ? 1 : SIZE_MAX;
	case '&':
		return s.len ? SIZE_MAX : 0;
	default:
		return s.len && s.p[0] == c ? 1 : SIZE_MAX;
	}
}

/* Fast test of one character: false if the pattern @p cannot match at the start of @s. */
static inline bool foreign_pattern_may(const char *p, struct str s)
{
	switch (*p) {
	case '\0':
	case '~':
	case '*':
	case '@':
	case '&':
		return true;
	case ' ':
		return s.len && char_is_blank(s.p[0]);
	case '#':
		return s.len && char_is_digit(s.p[0]);
	case '$':
		return s.len && char_hex(s.p[0]) >= 0;
	case '?':
		return s.len && foreign_pattern_is_name(s.p[0]);
	case '\\':
		return s.len && s.p[0] == (p[1] ? p[1] : '\\');
	default:
		return s.len && s.p[0] == *p;
	}
}

static bool foreign_pattern_steps(const char *p, struct str s, unsigned int *steps)
{
	for (; *p; p++) {
		size_t n;

		if (++*steps > FOREIGN_MAX_STEPS)
			return false;
		if (*p == '*' || *p == '@') {
			for (n = *p == '@'; n <= s.len; n++) {
				if (*p == '@' && char_is_blank(s.p[n - 1]))
					return false;
				/* this test avoids 90 % of the recursive calls */
				if (foreign_pattern_may(p + 1, str_skip(s, n)) &&
				    foreign_pattern_steps(p + 1, str_skip(s, n), steps))
					return true;
			}
			return false;
		}
		if (*p == '\\' && p[1]) {
			p++;
			n = s.len && s.p[0] == *p ? 1 : SIZE_MAX;
		} else {
			n = foreign_pattern_one(*p, s);
		}
		if (n == SIZE_MAX)
			return false;
		s = str_skip(s, n);
	}
	return true;
}

bool foreign_match(const char *pattern, struct str line)
{
	unsigned int steps = 0;

	return foreign_pattern_steps(pattern, line, &steps);
}
