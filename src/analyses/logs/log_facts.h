/* SPDX-License-Identifier: MIT */
/*
 * log_facts.h - the parts of log_summary.c that read sentences
 *
 * Patterns match at the start of a text: a blank stands for one or more blanks,
 * %u for decimal digits, %x for hex digits, %s for what comes before the next
 * character of the pattern (or the rest), all else for itself.
 */
#ifndef ANALYSES_LOG_FACTS_H
#define ANALYSES_LOG_FACTS_H

#include "analyses/logs/log_summary.h"

struct log_match {
	uint64_t n[8];
	struct str s[4];
	struct str rest; /* behind what matched */
	unsigned int n_numbers;
	unsigned int n_words;
};

/* True when @text starts as @pattern says. */
bool log_match(struct str text, const char *pattern, struct log_match *ret);
/* The same anywhere in @text: tried where the pattern's first character stands. */
bool log_match_in(struct str text, const char *pattern, struct log_match *ret);

/* Add what record @i states to @s. */
void log_facts_add(struct log_summary *s, uint32_t i);
void kernel_facts_add(struct log_summary *s, uint32_t i);
/* Add up and sort when all records are in. */
void log_facts_finish(struct log_summary *s);

#endif
