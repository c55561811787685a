/* SPDX-License-Identifier: MIT */
/* statement_words.h - texts about tables of slow statements, for several rules */
#ifndef EXPLAIN_STATEMENT_WORDS_H
#define EXPLAIN_STATEMENT_WORDS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct finding;
struct findings;
struct rule_input;

struct statement_table {
	size_t calls, time, longest, lock, examined, scans, joins,
		/*
		 * Column numbers; TABLE_NO_COLUMN: the column is not printed. (calls, time and
		 * longest are always printed.)
		 */
		returned;
	size_t n_rows;
	double time_ns; /* total time of the statements of all rows, ns */
	double n;       /* number of calls of all rows */
	/*
	 * The table is a server's statistics over all calls. False: it is a log of calls above a
	 * threshold. Statistics may print a mean instead of the longest time in the column
	 * `longest`.
	 */
	bool is_statistics;
	bool has_longest; /* `longest` is the longest time, not a mean */
	/*
	 * All lines of the log are truncated, and the time of each statement is missing. Only the
	 * numbers of examined and returned rows are known.
	 */
	bool is_timeless;
};

/* Set @ret to the columns of in->capture. False: it is no table of statements, or has no time. */
bool statement_words_table(const struct rule_input *in, struct statement_table *ret);
/* Value of a cell; NAN: not printed. */
double statement_words_value(const struct rule_input *in, size_t row, size_t column);
/*
 * Number of examined rows per returned row. NAN: not printed, or the statement is no search. (A
 * sum, for example, always returns few rows.)
 */
double statement_words_ratio(const struct rule_input *in, const struct statement_table *t,
			     size_t row);
/* Does a search read far more rows than it returns? Then an index is missing. */
bool statement_words_is_wasteful(const struct rule_input *in, const struct statement_table *t,
				 size_t row);
/*
 * Total time, ns, of all statements that waited for a lock, and whose wait has no printed duration.
 * *@ret_seen: a list of sessions in the input shows that such a statement waits.
 */
double statement_words_unmeasured(const struct rule_input *in, bool *ret_seen);
/* A statement, truncated for a sentence, in the arena of @out. */
const char *statement_words_cut(struct findings *out, struct str text);
/* The statement of a row, truncated for a sentence, in the arena of @out. */
const char *statement_words_name(const struct rule_input *in, struct findings *out, size_t row);
/*
 * Add the slowest execution of the statement in @row as evidence. The statement becomes a subject
 * of the finding.
 */
void statement_words_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct statement_table *t, size_t row);

#endif
