/* SPDX-License-Identifier: MIT */
/*
 * A statement reads far more rows than it returns, because an index is missing.
 *
 * Thresholds: the statement reads 10000 rows, because a scan of fewer rows takes milliseconds, and
 * 100 rows for each row that it returns. (A join reads several rows per returned row, but hardly
 * ever 100.) Sums and groups always return few rows, and statements that change rows return none.
 * So such statements are judged only if the server reports a join without an index.
 */
#include "base/str.h"
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
#define EXAMINED_LEAST    10000.0 /* minimum number of documents of an aggregation, in each run */

enum examined_why { EXAMINED_ROWS, EXAMINED_SCAN, EXAMINED_JOIN };

static const struct {
	const char *cause;
	const char *because;
	const char *next;
} examined_words[] = {
	[EXAMINED_ROWS] = { "No index fits its condition or order: it reads rows and drops them",
			    "the server counted both\n"
			    "which index it used",
			    "EXPLAIN of the statement: type ALL, or a key that covers only part of "
			    "its condition; then an index on those columns" },
	[EXAMINED_SCAN] = { "No index fits its condition: it reads the whole table or collection",
			    "the server printed the full scan and both numbers",
			    "create an index on the columns of its condition and order; EXPLAIN "
			    "must then name it" },
	[EXAMINED_JOIN] = { "A table is joined without an index: it is read whole, again and again",
			    "the server printed the full join and both numbers",
			    "EXPLAIN of the statement: an index on the joined columns of the table "
			    "with type ALL and 'Using join buffer'" },
};

static void examined_finding(const struct rule_input *in, struct findings *out,
			     const struct statement_table *t, size_t row)
{
	/* 0: the time is missing, because the line was cut */
	double ns = fmax(statement_words_value(in, row, t->time), 0);
	double share = t->time_ns > 0 ? 100 * ns / t->time_ns : 0;
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
			      ns > 0 ? table_words_duration(ns, time) : "time not printed",
			      statement_words_name(in, out, row));
	else
		finding_claim(out, f,
			      "%.0f rows are read and none is returned in %.0f %s (%s) by '%s'",
			      statement_words_value(in, row, t->examined),
			      statement_words_value(in, row, t->calls),
			      statement_words_value(in, row, t->calls) > 1 ? "runs" : "run",
			      ns > 0 ? table_words_duration(ns, time) : "time not printed",
			      statement_words_name(in, out, row));
	f->impact = share;
	finding_figure(f, "rows read for each row returned", statement_words_ratio(in, t, row), 0,
		       "");
	if (ns > 0)
		finding_figure(f,
			       t->is_statistics ? "share of the time of the listed statements"
						: "share of the time of slow statements",
			       share, 0, "%");
	statement_words_cite(in, out, f, t, row);
	finding_usual_cause(out, f, "%s", examined_words[why].cause);
	finding_because(out, f, "%s", examined_words[why].because);
	finding_next(out, f, "%s", examined_words[why].next);
}

/* Is @row an aggregation of MongoDB that reads a whole collection of EXAMINED_LEAST documents? */
static bool examined_is_pipeline(const struct rule_input *in, const struct statement_table *t,
				 size_t row)
{
	return str_contains(table_words_name(in, row), STR("{aggregate:")) &&
	       statement_words_value(in, row, t->scans) > 0 &&
	       statement_words_value(in, row, t->examined) >=
		       EXAMINED_LEAST * statement_words_value(in, row, t->calls);
}

/*
 * Add a finding about an aggregation of MongoDB that reads a whole collection. It may need all
 * documents, so the number of documents read does not show whether an index would help. But a
 * $lookup before the first $match is certainly costly: it searches the other collection once for
 * each document.
 */
static void examined_pipeline(const struct rule_input *in, struct findings *out,
			      const struct statement_table *t, size_t row)
{
	struct str name = table_words_name(in, row);
	size_t lookup = str_find(name, STR("$lookup"));
	bool is_joined = lookup < name.len && lookup < str_find(name, STR("$match"));
	struct finding *f = finding_add(out, in, &rule_rows_examined, FINDING_NOTE, EXAMINED_SURE);

	finding_claim(out, f,
		      "An aggregation reads its whole collection (COLLSCAN)%s: %.0f documents for "
		      "%.0f returned in %.0f %s, '%s'",
		      is_joined ? " and joins each document before a condition" : "",
		      statement_words_value(in, row, t->examined),
		      fmax(statement_words_value(in, row, t->returned), 0),
		      statement_words_value(in, row, t->calls),
		      statement_words_value(in, row, t->calls) > 1 ? "runs" : "run",
		      statement_words_name(in, out, row));
	finding_figure(f, "documents read", statement_words_value(in, row, t->examined), 0, "");
	statement_words_cite(in, out, f, t, row);
	if (is_joined)
		finding_cause(out, f,
			      "$lookup precedes the first $match: the other collection is "
			      "searched once for each document, with or without an index");
	else
		finding_usual_cause(out, f,
				    "The pipeline begins without a $match that an index serves");
	finding_because(out, f,
			"the server printed the plan and both numbers\n"
			"whether all documents are needed");
	finding_next(out, f, "%s",
		     is_joined
			     ? "begin with $match, or aggregate the smaller collection of $lookup "
			       "and join it with this one; an index on foreignField"
			     : "begin with $match on an indexed field; explain('executionStats') "
			       "must then say IXSCAN");
}

static void examined_check(const struct rule_input *in, struct findings *out)
{
	size_t best = SIZE_MAX, pipeline = SIZE_MAX;
	struct statement_table t;
	size_t judged = 0;

	if (!statement_words_table(in, &t))
		return;
	for (size_t row = 0; row < t.n_rows; row++) {
		double ratio = statement_words_ratio(in, &t, row);

		judged += isnan(ratio) ? 0 : 1;
		if (best == SIZE_MAX && statement_words_is_wasteful(in, &t, row))
			best = row;
		if (pipeline == SIZE_MAX && examined_is_pipeline(in, &t, row))
			pipeline = row;
	}
	if (best != SIZE_MAX)
		examined_finding(in, out, &t, best);
	else if (pipeline != SIZE_MAX)
		examined_pipeline(in, out, &t, pipeline);
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
