/* SPDX-License-Identifier: MIT */
/* table_words.h - cells of tables with named columns, for several rules */
#ifndef EXPLAIN_TABLE_WORDS_H
#define EXPLAIN_TABLE_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct rule_input;

#define TABLE_NO_COLUMN SIZE_MAX

/* Index of the column @name; TABLE_NO_COLUMN: none. */
size_t table_words_column(const struct rule_input *in, const char *name);
/* The text of a cell; empty: it has no text. */
struct str table_words_text(const struct rule_input *in, size_t row, size_t column);
struct str table_words_name(const struct rule_input *in, size_t row);
/*
 * Format nanoseconds with a fitting unit, "151.7 µs" or "4.36 min", into @buffer. Returns @buffer.
 */
const char *table_words_duration(double ns, char buffer[32]);

#endif
