/* SPDX-License-Identifier: MIT */
/*
 * A request of Ruby on Rails runs the same statement again and again, with different or equal
 * values: a loop loads one row for each element of a list (N+1).
 *
 * Thresholds: 4 executions in one request are a note, 20 a warning. Fewer repetitions are usual:
 * several parts of a page load the same row, for example the current user.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/statement_words.h"
#include "explain/words/table_words.h"

DECLARE_RULE(repeated_statement);

#define REPEATED_NOTE 4.0
#define REPEATED_LEAD 20.0
#define REPEATED_SURE 75u

static void repeated_finding(const struct rule_input *in, struct findings *out, size_t row,
			     double most)
{
	const struct metrics *m = in->capture->metrics;
	double calls = metrics_value(m, row, table_words_column(in, "calls"));
	double ns = metrics_value(m, row, table_words_column(in, "time"));
	double cached = metrics_value(m, row, table_words_column(in, "cached"));
	char time[32];
	struct finding *f =
		finding_add(out, in, &rule_repeated_statement,
			    most >= REPEATED_LEAD ? FINDING_WARNING : FINDING_NOTE, REPEATED_SURE);

	f->impact = 50;
	finding_claim(out, f, "One request runs the same statement %.0f times: %s", most,
		      statement_words_name(in, out, row));
	finding_figure(f, "executions in one request", most, 0, "");
	finding_figure(f, "executions in all", calls, 0, "");
	finding_figure(f, "answered by the query cache", cached, 0, "");
	finding_figure(f, "time in the database", ns, 0, "ns");
	finding_figure_text(f, finding_name(out, "%s", table_words_duration(ns, time)));
	finding_evidence(out, f, in, m->lines.data[row], "the first in that request");
	finding_usual_cause(
		out, f,
		"A loop loads one row for each element of a list (N+1 queries) instead of all rows "
		"at once. An answer of the query cache costs no statement, but Rails still builds "
		"the query and the objects");
	finding_because(out, f,
			"the log has each execution\n"
			"which code runs them");
	finding_next(out, f,
		     "preload the association where the list is loaded: includes() or preload(); "
		     "the gem bullet names the places");
}

static void repeated_statement_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	size_t column = table_words_column(in, "in one request");
	size_t calls = table_words_column(in, "calls");
	double most = 0, all = 0;
	size_t row = 0;

	if (!str_eq(str_of(in->capture->format), STR("active-record")) || column == TABLE_NO_COLUMN)
		return;
	for (size_t i = 0; i < m->n_rows; i++) {
		double n = metrics_value(m, i, column);

		row = n > most ? i : row;
		most = n > most ? n : most;
		all += metrics_value(m, i, calls);
	}
	if (most >= REPEATED_NOTE)
		repeated_finding(in, out, row, most);
	else if (all < REPEATED_NOTE)
		finding_not_assessed(out, in, &rule_repeated_statement,
				     "the log of a whole request at level debug",
				     "%.0f statements are too few", all);
	else
		finding_clean(out, in, &rule_repeated_statement,
			      "a request runs the same statement %.0f times at most", most);
}

const struct rule rule_repeated_statement = {
	.id = "repeated-statement",
	.title = "N+1 queries",
	.needs = RULE_METRICS,
	.check = repeated_statement_check,
	.is_measured = true,
};
