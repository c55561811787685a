/* SPDX-License-Identifier: MIT */
/*
 * log_facts.h - parse the messages of a log
 *
 * A pattern matches at the start of a text. In it, a blank matches one or more blanks, %u decimal
 * digits, and %x hex digits. %s matches the text up to the next character of the pattern, or the
 * rest of the text. Any other character matches itself.
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
/* Match @pattern anywhere in @text: try each occurrence of the pattern's first character. */
bool log_match_in(struct str text, const char *pattern, struct log_match *ret);
/*
 * Match one of @patterns, which are separated by '|', anywhere in @text; with @is_start, only at
 * its start. '^' and '$' in a pattern stand for the start and the end of @text. A %s at the start
 * of a pattern matches one word. A pattern longer than LOG_PATTERN_BYTES matches nothing.
 */
#define LOG_PATTERN_BYTES 127u
bool log_match_any(struct str text, const char *patterns, bool is_start, struct log_match *ret);

/*
 * Parse the message of record @i and add its facts to @s. Messages of the kernel: see
 * kernel_facts_add().
 */
void log_facts_add(struct log_summary *s, uint32_t i);
void kernel_facts_add(struct log_summary *s, uint32_t i);
/* Compute the sums and sort the tables. Call it after all records. */
void log_facts_finish(struct log_summary *s);

#endif
