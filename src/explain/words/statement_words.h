/* SPDX-License-Identifier: MIT */
/* statement_words.h - shared by rules about tables of slow statements */
#ifndef EXPLAIN_STATEMENT_WORDS_H
#define EXPLAIN_STATEMENT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct finding;
struct findings;
struct rule_input;

struct statement_table {
	size_t calls, time, longest, lock, examined, scans, joins,
		returned; /* columns; TABLE_NO_COLUMN for a missing one, but never for calls, time
			     and longest */
	size_t n_rows;
	double time_ns; /* of all rows */
	double n;       /* calls of all rows */
};

/* False: in->capture is no such table, or has no time. */
bool statement_words_table(const struct rule_input *in, struct statement_table *ret);
/* NAN: not printed. */
double statement_words_value(const struct rule_input *in, size_t row, size_t column);
/* The statement of a row, shortened for a sentence; in the arena of @out. */
const char *statement_words_name(const struct rule_input *in, struct findings *out, size_t row);
/* Add the longest run of @row as evidence, and the statement as what the finding is about. */
void statement_words_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct statement_table *t, size_t row);

#endif
