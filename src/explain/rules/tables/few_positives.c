/* SPDX-License-Identifier: MIT */
/*
 * A column with the values 0 and 1 (a label) has few ones. So this table cannot show how well the
 * other columns predict the label.
 *
 * Thresholds: the table has at least ten rows, and fewer than ten of them have the value 1. Then
 * the prediction for a single one of these rows changes the recall of a model by more than a tenth.
 */
#include "analyses/metrics_summary.h"
#include "base/stats.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(few_positives);

#define LABEL_FEW  10.0
#define LABEL_ROWS 10u /* minimum number of rows: a smaller table is too small to judge a label */

static bool label_is_one(const struct metric_column_summary *c)
{
	return c->values >= LABEL_ROWS && c->distinct == 2 && c->min == 0 && c->max == 1 &&
	       c->missing == 0;
}

static void label_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;

	for (size_t i = 0; i < in->metrics->columns.len; i++) {
		const struct metric_column_summary *c = &in->metrics->columns.data[i];
		struct interval share;
		struct finding *f;
		struct str title;

		if (!label_is_one(c))
			continue;
		if (c->sum >= LABEL_FEW) {
			finding_clean(out, in, &rule_few_positives,
				      "column %zu has %.0f ones in %llu rows", i + 2, c->sum,
				      (unsigned long long)c->values);
			continue;
		}
		share = stats_wilson(c->sum, (double)c->values, STATS_Z95);
		f = finding_add(out, in, &rule_few_positives, FINDING_NOTE, 99);
		title = strings_get(capture_strings(in->capture), m->columns.data[i].name);
		finding_claim(out, f,
			      "Column %s is a label with only %.0f one%s in %llu rows: too few to "
			      "validate a model or ranking",
			      title.len ? finding_name(out, STR_FMT, STR_ARG(title))
					: finding_name(out, "c%zu", i + 2),
			      c->sum, c->sum == 1 ? "" : "s", (unsigned long long)c->values);
		finding_cause(out, f, "The table holds one case, not a sample of cases");
		finding_because(out, f, "so few ones give a wide confidence interval");
		finding_figure(f, "ones", c->sum, 0, "");
		finding_figure_interval(f, "share of ones", c->sum / (double)c->values * 100,
					share.low, share.high, "%");
		for (size_t row = 0; row < m->n_rows && f->evidence.len < 4; row++) {
			if (metrics_value(m, row, i) == 1)
				finding_evidence(
					out, f, in, m->lines.data[row], STR_FMT,
					STR_ARG(facts_name(in->facts, m->names.data[row])));
		}
		finding_next(out, f,
			     "collect labels over many files and commits before comparing columns "
			     "with them");
	}
}

const struct rule rule_few_positives = {
	.id = "few-positives",
	.title = "Label with too few positives",
	.needs = RULE_METRICS,
	.check = label_check,
	.is_measured = true,
};
