/* SPDX-License-Identifier: MIT */
/*
 * table_words.h - what rules about tables with named columns share
 */
#ifndef EXPLAIN_TABLE_WORDS_H
#define EXPLAIN_TABLE_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct rule_input;

#define TABLE_NO_COLUMN SIZE_MAX

/* The column called @name, or TABLE_NO_COLUMN. */
size_t table_column(const struct rule_input *in, const char *name);
/* A cell of words; empty where there is none. */
struct str table_text(const struct rule_input *in, size_t row, size_t column);
struct str table_name(const struct rule_input *in, size_t row);
/* Nanoseconds for people: "151.66 us", "4.36 min". Written to @buffer, which is returned. */
const char *table_duration(double ns, char buffer[32]);

#endif
