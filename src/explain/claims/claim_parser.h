/* SPDX-License-Identifier: MIT */
/*
 * claim_parser.h - words, names and amounts of a claim, for claim_parse.c
 *
 * Functions that take skip blanks first; without a match they change nothing. Errors: ERR_USAGE,
 * with the column and what is expected.
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

/* "expected @what at column 7, not 'x'"; @like: a word that may be meant, or NULL. */
int claim_parser_expected(struct claim_parser *p, const char *what, const char *like);
int claim_parser_expected_word(struct claim_parser *p, const char *what,
			       const struct claim_word *words, size_t n);
void claim_parser_skip_blanks(struct claim_parser *p);
/* The next word, up to a blank, bracket or comparison; empty: none. */
struct str claim_parser_peek(const struct claim_parser *p);
/* Continue after @taken, a part of the text. */
void claim_parser_take(struct claim_parser *p, struct str taken);
bool claim_parser_take_word(struct claim_parser *p, const char *word);
bool claim_parser_take_mark(struct claim_parser *p, const char *mark);
/* A name: quoted, or a word. */
MUST_CHECK int claim_parser_name(struct claim_parser *p, const char *what, struct str *ret);
/* "40us", "5 %", "10k": nanoseconds, percent, or a number. */
MUST_CHECK int claim_parser_amount(struct claim_parser *p, enum claim_unit *ret_unit, double *ret);
/* NULL: none of the words. */
const struct claim_word *claim_word_find(const struct claim_word *words, size_t n, struct str word);

#endif
