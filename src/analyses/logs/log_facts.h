/* SPDX-License-Identifier: MIT */
/*
 * log_facts.h - the parts of log_summary.c that parse messages
 *
 * Patterns match at the start of a text. A blank matches one or more blanks; %u decimal digits;
 * %x hex digits; %s the text up to the pattern's next character, or the rest. Any other character
 * matches itself.
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

/* Match @pattern at the start of @text. */
bool log_match(struct str text, const char *pattern, struct log_match *ret);
/* Match @pattern at any place in @text where the pattern's first character occurs. */
bool log_match_in(struct str text, const char *pattern, struct log_match *ret);

/* Add the facts stated in record @i to @s. */
void log_facts_add(struct log_summary *s, uint32_t i);
void kernel_facts_add(struct log_summary *s, uint32_t i);
/* After all records: compute sums, and sort. */
void log_facts_finish(struct log_summary *s);

#endif
