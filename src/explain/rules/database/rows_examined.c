/* SPDX-License-Identifier: MIT */
/*
 * A statement reads far more rows than it returns, because an index is missing.
 *
 * Thresholds: the statement reads 10000 rows, because a scan of fewer takes milliseconds, and 100
 * for each row that it returns. (A join reads several rows per returned row, but hardly ever 100.)
 * Sums and groups always return few rows of many, and statements that change rows return none. So
 * these are judged only if the server reports a join without an index.
 */
#include "explain/words/statement_words.h"
#include "explain/words/table_words.h"

#include "base/status.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(rows_examined);

/* minimum share of the time of all statements for a warning, percent */
#define EXAMINED_LEAD_PCT 20.0
#define EXAMINED_SURE     75u
#define EXAMINED_CERTAIN  95u /* certainty if the server reports scans or joins without an index */

enum examined_why { EXAMINED_ROWS, EXAMINED_SCAN, EXAMINED_JOIN };

static const struct {
	const char *cause;
	const char *because;
	const char *next;
} examined_words[] = {
	[EXAMINED_ROWS] = { "No index fits its condition or order: it reads rows and drops them",
			    "the server counted both; which index it used is not in the log",
			    "EXPLAIN of the statement: type ALL, or a key that covers only part of "
			    "its condition; then an index on those columns" },
	[EXAMINED_SCAN] = { "No index fits its condition: it reads the whole table or collection",
			    "the server printed the full scan and both numbers",
			    "an index on the columns of its condition and order; EXPLAIN must then "
			    "name it" },
	[EXAMINED_JOIN] = { "A table is joined without an index: it is read whole, again and again",
			    "the server printed the full join and both numbers",
			    "EXPLAIN of the statement: an index on the joined columns of the table "
			    "with type ALL and 'Using join buffer'" },
};

static void examined_finding(const struct rule_input *in, struct findings *out,
			     const struct statement_table *t, size_t row)
{
	double share = 100 * statement_words_value(in, row, t->time) / t->time_ns;
	enum examined_why why = statement_words_value(in, row, t->joins) > 0   ? EXAMINED_JOIN
				: statement_words_value(in, row, t->scans) > 0 ? EXAMINED_SCAN
									       : EXAMINED_ROWS;
	char time[32];
	struct finding *f = finding_add(out, in, &rule_rows_examined,
					share >= EXAMINED_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
					why == EXAMINED_ROWS ? EXAMINED_SURE : EXAMINED_CERTAIN);

	if (statement_words_value(in, row, t->returned) > 0)
		finding_claim(out, f,
			      "%.0f rows are read for each row returned (%.0f for %.0f in %.0f %s, "
			      "%s) by '%s'",
			      statement_words_ratio(in, t, row),
			      statement_words_value(in, row, t->examined),
			      statement_words_value(in, row, t->returned),
			      statement_words_value(in, row, t->calls),
			      statement_words_value(in, row, t->calls) > 1 ? "runs" : "run",
			      table_words_duration(statement_words_value(in, row, t->time), time),
			      statement_words_name(in, out, row));
	else
		finding_claim(out, f,
			      "%.0f rows are read and none is returned in %.0f %s (%s) by '%s'",
			      statement_words_value(in, row, t->examined),
			      statement_words_value(in, row, t->calls),
			      statement_words_value(in, row, t->calls) > 1 ? "runs" : "run",
			      table_words_duration(statement_words_value(in, row, t->time), time),
			      statement_words_name(in, out, row));
	f->impact = share;
	finding_figure(f, "rows read for each row returned", statement_words_ratio(in, t, row), 0,
		       "");
	finding_figure(f,
		       t->is_statistics ? "share of the time of the listed statements"
					: "share of the time of slow statements",
		       share, 0, "%");
	statement_words_cite(in, out, f, t, row);
	finding_usual_cause(out, f, "%s", examined_words[why].cause);
	finding_because(out, f, "%s", examined_words[why].because);
	finding_next(out, f, "%s", examined_words[why].next);
}

static void examined_check(const struct rule_input *in, struct findings *out)
{
	size_t best = SIZE_MAX;
	struct statement_table t;
	size_t judged = 0;

	if (!statement_words_table(in, &t))
		return;
	for (size_t row = 0; row < t.n_rows; row++) {
		double ratio = statement_words_ratio(in, &t, row);

		judged += isnan(ratio) ? 0 : 1;
		if (best == SIZE_MAX && statement_words_is_wasteful(in, &t, row))
			best = row;
	}
	if (best != SIZE_MAX)
		examined_finding(in, out, &t, best);
	else if (judged == 0)
		finding_not_assessed(out, in, &rule_rows_examined,
				     "EXPLAIN (ANALYZE, BUFFERS) of the slowest statement",
				     "no search in this log has rows examined and returned");
	else
		finding_clean(out, in, &rule_rows_examined,
			      "no search of %zu reads 10000 rows and 100 for each one returned",
			      judged);
}

const struct rule rule_rows_examined = {
	.id = "rows-examined",
	.title = "Rows examined far above rows returned",
	.needs = RULE_METRICS,
	.check = examined_check,
};
