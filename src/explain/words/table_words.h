/* SPDX-License-Identifier: MIT */
/* table_words.h - shared by rules about tables with named columns */
#ifndef EXPLAIN_TABLE_WORDS_H
#define EXPLAIN_TABLE_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct rule_input;

#define TABLE_NO_COLUMN SIZE_MAX

/* The column with the name @name, or TABLE_NO_COLUMN. */
size_t table_words_column(const struct rule_input *in, const char *name);
/* The text of a cell; empty: none. */
struct str table_words_text(const struct rule_input *in, size_t row, size_t column);
struct str table_words_name(const struct rule_input *in, size_t row);
/* Human-readable nanoseconds: "151.66 us", "4.36 min". Written to @buffer, which is returned. */
const char *table_words_duration(double ns, char buffer[32]);

#endif
