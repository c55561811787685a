/* SPDX-License-Identifier: MIT */
#include "formats/counters/counter_number.h"

#include "base/number.h"
#include "base/status.h"
#include "base/str.h"

/* maximum number of digits, so that a number fits into an int64_t */
#define NUMBER_DIGITS   18u
#define NUMBER_FRACTION 9u

/* Length in bytes of the separator of digits at the start of @s; 0: no separator. */
static size_t number_separator(struct str s)
{
	size_t n = 0;

	if (s.len < 2)
		return 0;
	switch (s.p[0]) {
	case ',':
	case '.':
	case '\'':
	case '_':
	case ' ':
		n = 1;
		break;
	case '\xc2':
		n = str_starts(s, STR("\xc2\xa0")) ? 2 : 0;
		break;
	case '\xe2':
		n = str_starts(s, STR("\xe2\x80\xaf")) || str_starts(s, STR("\xe2\x80\x89")) ? 3
											     : 0;
		break;
	default:
		return 0;
	}
	return n && s.len > n && char_is_digit(s.p[n]) ? n : 0;
}

static size_t number_digits(struct str s)
{
	size_t n = 0;

	while (n < s.len && char_is_digit(s.p[n]))
		n++;
	return n;
}

struct number_scan {
	uint64_t all;        /* value of all digits, without separators */
	unsigned int n;      /* number of digits, without leading zeros */
	unsigned int last;   /* number of digits after the last separator */
	unsigned int first;  /* number of digits before the first separator */
	unsigned int groups; /* number of separators */
	char separator;      /* first byte of the first separator */
	/* first byte of the last separator; 0: it is equal to `separator` */
	char other;
};

static bool number_group(struct number_scan *n, struct str digits)
{
	for (size_t i = 0; i < digits.len; i++) {
		if (n->n == NUMBER_DIGITS)
			return false;
		n->all = n->all * 10 + (uint64_t)(digits.p[i] - '0');
		n->n += n->n > 0 || digits.p[i] != '0';
	}
	n->last = (unsigned int)digits.len;
	return true;
}

/* Is @separator always a separator of groups? (',' and '.' can also begin a fraction.) */
static bool number_is_group(char separator)
{
	return separator != ',' && separator != '.';
}

static bool number_scan(struct str *s, struct number_scan *n)
{
	struct str rest = *s;
	size_t digits = number_digits(rest);
	size_t sep;

	*n = (struct number_scan){ .first = (unsigned int)digits };
	if (digits == 0 || !number_group(n, str_sub(rest, 0, digits)))
		return false;
	for (rest = str_skip(rest, digits); (sep = number_separator(rest)) > 0;
	     rest = str_skip(rest, sep + digits)) {
		char c = rest.p[0];

		digits = number_digits(str_skip(rest, sep));
		if (n->other || (number_is_group(c) && (digits != 3 || n->first > 3)) ||
		    (n->groups && c != n->separator && number_is_group(c)) ||
		    (n->groups && c == n->separator && (n->last < 2 || n->last > 3 || digits < 2)))
			break;
		if (n->groups && c != n->separator)
			n->other = c;
		else
			n->separator = c;
		if (digits > NUMBER_FRACTION || !number_group(n, str_sub(rest, sep, sep + digits)))
			return false;
		n->groups++;
	}
	*s = rest;
	return true;
}

static void number_scale(struct str *s, struct counter_number *n)
{
	static const char letters[] = "kKMGBT";
	static const uint8_t zeros[] = { 3, 3, 6, 9, 9, 12 };
	size_t at = s->len ? str_find_char(STR(letters), s->p[0]) : sizeof(letters) - 1;

	if (at >= ARRAY_LEN(zeros) || (s->len > 1 && !char_is_space(s->p[1])))
		return;
	*s = str_skip(*s, 1);
	n->is_scaled = true;
	n->may_be_grouped = false;
	for (unsigned int i = 0; i < zeros[at]; i++) {
		if (n->decimals)
			n->decimals--;
		else if (__builtin_mul_overflow(n->value, 10, &n->value))
			n->value = INT64_MAX;
	}
}

bool counter_number(struct str *s, struct counter_number *ret)
{
	struct str rest = *s;
	bool is_negative = str_take(&rest, STR("-"));
	struct number_scan n;

	if (!number_scan(&rest, &n))
		return false;
	*ret = (struct counter_number){ .value = (int64_t)n.all };
	if (n.other && !number_is_group(n.other))
		/* the last separator begins the fraction: 1,234.5 and 1.234,5 */
		ret->decimals = (uint8_t)n.last;
	else if (n.groups == 1 && !number_is_group(n.separator)) {
		/* "1,234" is more often a count than a number with three decimals */
		ret->may_be_grouped = n.last == 3 && n.first <= 3 && n.all >= 1000;
		if (!ret->may_be_grouped || n.separator == '.')
			ret->decimals = (uint8_t)n.last;
	}
	number_scale(&rest, ret);
	if (is_negative)
		ret->value = -ret->value;
	*s = rest;
	return true;
}

struct counter_number counter_number_whole(struct counter_number n)
{
	if (n.may_be_grouped)
		n.decimals = 0;
	return n;
}

double counter_number_double(const struct counter_number *n)
{
	return (double)n->value / number_pow10(n->decimals);
}
