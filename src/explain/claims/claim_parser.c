/* SPDX-License-Identifier: MIT */
/* claim_parser.c - parse words, names and amounts of a claim */
#include "explain/claims/claim_parser.h"

#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "explain/claims/claim.h"

#include <math.h>

/* maximum number of bytes of the unexpected text that an error message quotes */
#define CLAIM_FOUND_BYTES 32

static const struct {
	const char *word;
	enum claim_unit unit;
	double factor;
} claim_units[] = {
	{ "", CLAIM_NUMBER, 1 },         { "%", CLAIM_PERCENT, 1 },
	{ "percent", CLAIM_PERCENT, 1 }, { "ns", CLAIM_NS, 1 },
	{ "us", CLAIM_NS, 1e3 },         { "\u00b5s", CLAIM_NS, 1e3 },
	{ "\u03bcs", CLAIM_NS, 1e3 },    { "ms", CLAIM_NS, 1e6 },
	{ "s", CLAIM_NS, 1e9 },          { "k", CLAIM_NUMBER, 1e3 },
	{ "K", CLAIM_NUMBER, 1e3 },      { "M", CLAIM_NUMBER, 1e6 },
	{ "G", CLAIM_NUMBER, 1e9 },      { "samples", CLAIM_NUMBER, 1 },
	{ "calls", CLAIM_NUMBER, 1 },
};

static bool claim_ends_name(char c)
{
	return char_is_space(c) || memchr("(),<>=!'\"%", c, 11);
}

void claim_parser_skip_blanks(struct claim_parser *p)
{
	p->rest = str_ltrim(p->rest);
}

int claim_parser_expected(struct claim_parser *p, const char *what, const char *like)
{
	unsigned int column;
	size_t n = 0;

	claim_parser_skip_blanks(p);
	column = (unsigned int)(p->rest.p - p->text.p) + 1;
	while (n < p->rest.len && n < CLAIM_FOUND_BYTES && !char_is_space(p->rest.p[n]))
		n++;
	if (n == 0)
		return fail(p->err, ERR_USAGE, "the claim ends at column %u: expected %s", column,
			    what);
	return fail(p->err, ERR_USAGE, "column %u: expected %s, not '" STR_FMT "'%s%s", column,
		    what, STR_ARG(str_sub(p->rest, 0, n)), like && like[0] ? "; did you mean " : "",
		    like ? like : "");
}

struct str claim_parser_peek(const struct claim_parser *p)
{
	struct str s = str_ltrim(p->rest);
	size_t n = 0;

	/* '%' may begin a name, such as the column %steal */
	if (s.len > 1 && s.p[0] == '%' && !claim_ends_name(s.p[1]))
		n++;
	while (n < s.len && !claim_ends_name(s.p[n]))
		n++;
	return str_sub(s, 0, n);
}

void claim_parser_take(struct claim_parser *p, struct str taken)
{
	p->rest = str_skip(p->text, (size_t)(taken.p - p->text.p) + taken.len);
}

bool claim_parser_take_word(struct claim_parser *p, const char *word)
{
	struct str next = claim_parser_peek(p);

	if (!str_eq(next, str_of(word)))
		return false;
	claim_parser_take(p, next);
	return true;
}

bool claim_parser_take_mark(struct claim_parser *p, const char *mark)
{
	claim_parser_skip_blanks(p);
	return str_take(&p->rest, str_of(mark));
}

const struct claim_word *claim_word_find(const struct claim_word *words, size_t n, struct str word)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(word, str_of(words[i].word)))
			return &words[i];
	}
	return NULL;
}

int claim_parser_expected_word(struct claim_parser *p, const char *what,
			       const struct claim_word *words, size_t n)
{
	struct str next = claim_parser_peek(p);
	struct suggest like;

	suggest_init(&like, str_sub(next, 0, str_find_char(next, ':')));
	for (size_t i = 0; i < n; i++)
		suggest_try(&like, str_of(words[i].word));
	return claim_parser_expected(p, what, like.best);
}

/* A name is quoted, or it has no blanks, brackets or comparison signs. */
int claim_parser_name(struct claim_parser *p, const char *what, struct str *ret)
{
	char quote;

	claim_parser_skip_blanks(p);
	quote = p->rest.len ? p->rest.p[0] : '\0';
	if (quote == '\'' || quote == '"') {
		struct str inside = str_skip(p->rest, 1);
		size_t end = str_find_char(inside, quote);

		if (end == inside.len)
			return claim_parser_expected(p, "a second quotation mark", NULL);
		if (end == 0)
			return claim_parser_expected(p, what, NULL);
		*ret = str_sub(inside, 0, end);
		p->rest = str_skip(inside, end + 1);
		return OK;
	}
	*ret = claim_parser_peek(p);
	if (ret->len == 0)
		return claim_parser_expected(p, what, NULL);
	claim_parser_take(p, *ret);
	return OK;
}

int claim_parser_amount(struct claim_parser *p, enum claim_unit *ret_unit, double *ret)
{
	struct str number;
	struct str unit;
	size_t n = 0;

	claim_parser_skip_blanks(p);
	number = p->rest;
	if (number.len == 0 || !char_is_digit(number.p[0]) || !str_double(&number, ret) ||
	    !isfinite(*ret))
		return claim_parser_expected(p, "a number", NULL);
	unit = str_ltrim(number);
	if (unit.len && unit.p[0] == '%')
		n = 1;
	while (n == 0 || (n < unit.len && unit.p[0] != '%')) {
		if (n >= unit.len || claim_ends_name(unit.p[n]) || unit.p[n] == '-')
			break;
		n++;
	}
	unit = str_sub(unit, 0, n);
	/*
	 * the word after the number may be the start of the next clause, not a unit: "100 in
	 * comm:x"
	 */
	if (unit.p != number.p &&
	    (str_eq(unit, STR("in")) || str_eq(unit, STR("and")) || str_eq(unit, STR("of")) ||
	     str_eq(unit, STR("net")) || str_eq(unit, STR("since")) || str_eq(unit, STR("under")) ||
	     str_eq(unit, STR("or"))))
		unit = str_sub(number, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(claim_units); i++) {
		if (!str_eq(unit, str_of(claim_units[i].word)))
			continue;
		*ret_unit = claim_units[i].unit;
		*ret *= claim_units[i].factor;
		claim_parser_take(p, unit);
		return OK;
	}
	p->rest = unit;
	return claim_parser_expected(p, "a unit: %, ns, us, ms, s, k, M, G, samples or calls",
				     NULL);
}
