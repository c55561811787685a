/* SPDX-License-Identifier: MIT */
/*
 * A tool that computes metrics of functions failed for some functions. A column is zero for every
 * function whose name starts with "__", and for few other functions.
 *
 * Thresholds: five such names, and less than half of the other functions with a zero. Fewer names,
 * or a column that is mostly zero, may be chance.
 */
#include "core/capture.h"
#include "core/strings.h"
#include "explain/rule.h"

#include "base/str.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(extractor_defects);

#define DEFECT_NAMES  5u
#define DEFECT_OTHERS 0.5

struct defect_facts {
	uint64_t names; /* number of names that start with "__" */
	uint64_t columns;
	/* titles of the columns that are zero for these names: "c6, c7, c8" */
	const char *names_of;
	uint32_t line; /* line of the first name that starts with "__" */
	uint64_t other_zeros;
	uint64_t others;
};

static bool defect_is_name(const struct rule_input *in, size_t row)
{
	return str_starts(facts_name(in->facts, in->capture->metrics->names.data[row]), STR("__"));
}

#define DEFECT_NAMED 8u /* maximum number of columns that the claim names */

/*
 * Add the title of @column to d->names_of. A column without a title gets its number, as tables
 * print it: "c6".
 */
static void defect_name_column(const struct rule_input *in, struct findings *out, uint32_t column,
			       struct defect_facts *d)
{
	struct str title = strings_get(capture_strings(in->capture),
				       in->capture->metrics->columns.data[column].name);

	if (d->columns > DEFECT_NAMED)
		return;
	d->names_of = finding_name(out, "%s%s%s", d->columns > 1 ? d->names_of : "",
				   d->columns > 1 ? ", " : "",
				   title.len ? finding_name(out, STR_FMT, STR_ARG(title))
					     : finding_name(out, "c%u", column + 2));
}

static void defect_column(const struct rule_input *in, struct findings *out, uint32_t column,
			  struct defect_facts *d)
{
	const struct metrics *m = in->capture->metrics;
	uint64_t zeros = 0;
	uint64_t names = 0;

	for (size_t row = 0; row < m->n_rows; row++) {
		bool is_zero = metrics_value(m, row, column) == 0;

		if (!defect_is_name(in, row)) {
			zeros += is_zero;
			continue;
		}
		if (!is_zero)
			return;
		if (names++ == 0)
			d->line = m->lines.data[row];
	}
	d->names = names;
	d->others = m->n_rows - names;
	if (names < DEFECT_NAMES || (double)zeros >= DEFECT_OTHERS * (double)d->others)
		return;
	if (d->columns++ == 0)
		d->other_zeros = zeros;
	defect_name_column(in, out, column, d);
}

/*
 * Add "clean" or "not assessed" for a table of metrics of source code. Other tables get no result:
 * their rows need not be functions.
 */
static void defect_rule_out(const struct rule_input *in, struct findings *out)
{
	uint64_t names = 0;

	if (!str_eq(str_of(in->capture->format), STR("metric-table")))
		return;
	for (size_t row = 0; row < in->capture->metrics->n_rows; row++)
		names += defect_is_name(in, row);
	if (names < DEFECT_NAMES)
		finding_not_assessed(out, in, &rule_extractor_defects, "metrics of more functions",
				     "only %llu names start with '__': zeros may be chance",
				     (unsigned long long)names);
	else
		finding_clean(out, in, &rule_extractor_defects,
			      "no column is zero only for names that start with '__'");
}

static void defect_check(const struct rule_input *in, struct findings *out)
{
	struct defect_facts d = { .names = 0 };
	struct finding *f;

	for (uint32_t c = 0; c < in->capture->metrics->columns.len; c++) {
		if (!in->capture->metrics->columns.data[c].is_text)
			defect_column(in, out, c, &d);
	}
	if (d.columns == 0) {
		defect_rule_out(in, out);
		return;
	}
	f = finding_add(out, in, &rule_extractor_defects, FINDING_WARNING, 90);
	finding_claim(out, f,
		      "%llu %s (%s) %s 0 for all %llu functions whose name starts with '__': the "
		      "extractor missed these functions",
		      (unsigned long long)d.columns, d.columns == 1 ? "column" : "columns",
		      d.names_of, d.columns == 1 ? "is" : "are", (unsigned long long)d.names);
	finding_usual_cause(out, f, "The extraction tool loses names with leading underscores");
	finding_because(out, f,
			"of the other %llu functions only %llu are 0 in the first such column",
			(unsigned long long)d.others, (unsigned long long)d.other_zeros);
	finding_figure(f, "columns", (double)d.columns, 0, "");
	finding_figure(f, "functions", (double)d.names, 0, "");
	finding_evidence(out, f, in, d.line, "the first such function");
	finding_next(out, f,
		     "assay risk SOURCES: count again; or leave these functions out of rankings by "
		     "these columns");
}

const struct rule rule_extractor_defects = {
	.id = "extractor-defects",
	.title = "Zeros from a failed metric extractor",
	.needs = RULE_METRICS,
	.check = defect_check,
	.is_measured = true,
};
