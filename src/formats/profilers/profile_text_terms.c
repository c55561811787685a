/* SPDX-License-Identifier: MIT */
/* profile_text_terms.c - lines of Erlang terms, as fprof writes them */
#include "formats/profilers/profile_text.h"

#include "base/str.h"
#include "formats/profilers/text_dialects.h"

#include <stdio.h>

#define TERM_BYTES 1024u

/* Length of the Erlang term at the start of @s: an atom, a string, or a tuple; 0: none. */
static size_t term_len(struct str s)
{
	unsigned int depth = 0;
	char quote = '\0';

	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (quote) {
			i += c == '\\';
			quote = c == quote ? '\0' : quote;
		} else if (c == '\'' || c == '"') {
			quote = c;
		} else if (c == '{' || c == '[' || c == '(') {
			depth++;
		} else if (c == '}' || c == ']' || c == ')') {
			if (depth == 0)
				return i;
			depth--;
		} else if (c == ',' && depth == 0) {
			return i;
		}
	}
	return 0;
}

/*
 * Take a number with the comma before it, ",  51", from the start of @s. False: @s does not start
 * with one.
 */
static bool term_number(struct str *s, struct amount *ret)
{
	struct str rest = *s;
	struct str word;

	if (!str_take(&rest, STR(",")))
		return false;
	rest = str_ltrim(rest);
	word = str_sub(rest, 0, str_find_char(rest, ','));
	word = str_rtrim(str_sub(word, 0, str_find_char(word, '}')));
	*s = str_skip(rest, word.len);
	return text_dialect_amount(&word, ret) && word.len == 0;
}

enum text_term profile_text_term(struct str line, struct text_row *ret)
{
	struct str rest = str_trim(line);
	enum text_term kind = TERM_EDGE;
	struct amount unused;

	*ret = (struct text_row){ .self_pct = -1, .cum_pct = -1 };
	if (rest.len < 2 || rest.len > TERM_BYTES || !strchr("{[", rest.p[0]))
		return TERM_NONE;
	if (str_starts(rest, STR("[{ ")))
		return str_starts(rest, STR("[{ totals")) ? TERM_TOTAL : TERM_PROCESS;
	if (str_take(&rest, STR("{["))) {
		kind = TERM_BEGIN;
		if (str_starts(str_ltrim(rest), STR("]")))
			return kind;
	} else if (str_take(&rest, STR("["))) {
		if (str_starts(str_ltrim(rest), STR("]")))
			return kind;
	} else if (str_starts(rest, STR("{ "))) {
		kind = TERM_FOCUS;
	}
	if (!str_take(&rest, STR("{")))
		return TERM_NONE;
	rest = str_ltrim(rest);
	ret->name = str_trim(str_sub(rest, 0, term_len(rest)));
	rest = str_skip(rest, term_len(rest));
	if (ret->name.len == 0 || !term_number(&rest, &unused) || !term_number(&rest, &unused) ||
	    !term_number(&rest, &ret->self) || !str_starts(str_ltrim(rest), STR("}")))
		return TERM_NONE;
	ret->has_self = true;
	return kind;
}

void profile_text_term_process(struct text_processes *p, enum text_term kind, bool has_rows)
{
	if (kind != TERM_PROCESS)
		return;
	p->is_again |= has_rows && !p->has_process;
	p->has_process = true;
}

struct str profile_text_term_name(struct str name, char *buffer, size_t size)
{
	struct str rest = str_sub(name, 1, name.len - 1);
	struct str part[3];
	int n;

	if (!str_starts(name, STR("{")) || !str_ends(name, STR("}")))
		return name;
	for (size_t i = 0; i < 3; i++) {
		size_t len = i < 2 ? term_len(rest) : rest.len;

		part[i] = str_trim(str_sub(rest, 0, len));
		rest = str_skip(rest, len + 1);
	}
	n = snprintf(buffer, size, STR_FMT ":" STR_FMT "/" STR_FMT, STR_ARG(part[0]),
		     STR_ARG(part[1]), STR_ARG(part[2]));
	return n > 0 && (size_t)n < size ? (struct str){ buffer, (size_t)n } : name;
}
