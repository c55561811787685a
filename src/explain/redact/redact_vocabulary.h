/* SPDX-License-Identifier: MIT */
/*
 * redact_vocabulary.h - the words and patterns that assay itself contains
 *
 * Readers recognise texts by words, and rules recognise functions by patterns. Both are public,
 * because they are in the source of this program. tools/gen-vocabulary.py collects them.
 */
#ifndef EXPLAIN_REDACT_VOCABULARY_H
#define EXPLAIN_REDACT_VOCABULARY_H

#include <stddef.h>

/* Words in lower case, sorted; NULL-terminated. */
extern const char *const redact_words[];
extern const size_t redact_n_words;
/*
 * Patterns with '*' and '?', each for one word, such as "*_lock". Sorted by bytes; NULL-terminated.
 */
extern const char *const redact_patterns[];

#endif
