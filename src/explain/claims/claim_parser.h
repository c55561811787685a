/* SPDX-License-Identifier: MIT */
/*
 * claim_parser.h - words, names and amounts of a claim, for claim_parse.c
 *
 * Functions with "take" in their names first skip blanks. If the text does not match, they only
 * consume these blanks. Errors: ERR_USAGE, with the column and the expected word.
 */
#ifndef EXPLAIN_CLAIM_PARSER_H
#define EXPLAIN_CLAIM_PARSER_H

#include "base/status.h"
#include "base/str.h"
#include "explain/claims/claim.h"

struct claim_parser {
	struct str text;
	struct str rest;
	struct claim *claim;
	struct error *err;
};

struct claim_word {
	const char *word;
	unsigned int value;
};

/*
 * Fail with "expected @what at column 7, not 'x'". @like: the word for "did you mean"; NULL: no
 * suggestion.
 */
int claim_parser_expected(struct claim_parser *p, const char *what, const char *like);
int claim_parser_expected_word(struct claim_parser *p, const char *what,
			       const struct claim_word *words, size_t n);
void claim_parser_skip_blanks(struct claim_parser *p);
/*
 * Return the next word, up to a blank, bracket or comparison, but do not consume it; empty: no
 * word.
 */
struct str claim_parser_peek(const struct claim_parser *p);
/* Consume the text up to the end of @taken, which is a part of p->text. */
void claim_parser_take(struct claim_parser *p, struct str taken);
bool claim_parser_take_word(struct claim_parser *p, const char *word);
bool claim_parser_take_mark(struct claim_parser *p, const char *mark);
/* Parse a name: quoted text, or one word. */
MUST_CHECK int claim_parser_name(struct claim_parser *p, const char *what, struct str *ret);
/* Parse an amount in nanoseconds ("40us"), in percent ("5 %") or a plain number ("10k"). */
MUST_CHECK int claim_parser_amount(struct claim_parser *p, enum claim_unit *ret_unit, double *ret);
/* The element of the array @words whose text is @word; NULL: none. */
const struct claim_word *claim_word_find(const struct claim_word *words, size_t n, struct str word);

#endif
