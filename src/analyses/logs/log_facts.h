/* SPDX-License-Identifier: MIT */
/*
 * log_facts.h - parts of log_summary.c that parse messages
 *
 * Patterns match at the start of a text. A blank matches one or more blanks, %u decimal digits,
 * %x hex digits, %s the text before the pattern's next character (or the rest); other
 * characters match themselves.
 */
#ifndef ANALYSES_LOG_FACTS_H
#define ANALYSES_LOG_FACTS_H

#include "base/str.h"

struct log_summary;

struct log_match {
	uint64_t n[8];
	struct str s[4];
	struct str rest; /* text after the match */
	unsigned int n_numbers;
	unsigned int n_words;
};

/* Match the start of @text. */
bool log_match(struct str text, const char *pattern, struct log_match *ret);
/* Match anywhere in @text, at occurrences of the pattern's first character. */
bool log_match_in(struct str text, const char *pattern, struct log_match *ret);

/* Add the facts in record @i to @s. */
void log_facts_add(struct log_summary *s, uint32_t i);
void kernel_facts_add(struct log_summary *s, uint32_t i);
/* Compute sums and sort, after all records. */
void log_facts_finish(struct log_summary *s);

#endif
