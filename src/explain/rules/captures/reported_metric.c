/* SPDX-License-Identifier: MIT */
/*
 * A test robot compares two kernels, and reports one metric: "a 51.1% regression of fio.read_bw".
 * The finding has the metric before and after, with the commits.
 *
 * Thresholds: a regression by REPORTED_LEAD percent is a warning. The difference must exceed
 * REPORTED_SPREADS standard deviations of the difference between two runs. If a deviation is not
 * printed, it is taken as REPORTED_UNPRINTED percent of the mean, its largest possible value. A
 * third kernel is a fix if it recovers the part REPORTED_MENDED (0 to 1) of the regression. Runs
 * have different lengths if their elapsed times differ by the factor REPORTED_LENGTH.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(reported_metric);

#define REPORTED_LEAD      10.0
#define REPORTED_SPREADS   1.0
#define REPORTED_UNPRINTED 2.0
#define REPORTED_MENDED    0.8
#define REPORTED_LENGTH    2.0
#define REPORTED_SURE      95u

/* The row of the reported metric. Deviations are percentages of the value; NAN: not printed. */
struct reported {
	const struct rule_input *in;
	struct str metric;
	size_t row;
	double before, before_dev, after, after_dev;
	/* third: value of a third kernel; NAN: the table compares two kernels */
	double third, third_dev;
};

/* The value in the first column named @name; NAN: no such column, or an empty cell. */
static double reported_cell(const struct capture *c, size_t row, const char *name)
{
	const struct metrics *m = c->metrics;

	VEC_FOREACH (column, &m->columns) {
		if (str_eq(strings_get(capture_strings(c), column->name), str_of(name)))
			return metrics_value(m, row, (size_t)(column - m->columns.data));
	}
	return NAN;
}

/* Find the row whose name matches @pattern. False: there is none. */
static bool reported_row(const struct capture *c, struct str pattern, size_t *ret)
{
	for (size_t i = 0; i < c->metrics->n_rows; i++) {
		struct str name = symbols_name(capture_symbols(c), c->metrics->names.data[i]);

		if (str_eq(name, pattern) || str_glob(pattern, name)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static double reported_deviation(double value, double dev)
{
	return fabs(value) * (isnan(dev) ? REPORTED_UNPRINTED : dev) / 100;
}

/* A value and its deviation as text: "1060 ± 3 %"; without a deviation: "2171". */
static const char *reported_value(struct findings *out, double value, double dev)
{
	return isnan(dev) ? finding_amount(out, 4, value)
			  : finding_name(out, "%s ± %.0f %%", finding_amount(out, 4, value), dev);
}

/*
 * The hash of a commit. It is the first word of the note @key, before the commit's title. Empty:
 * unknown.
 */
static struct str reported_commit(const struct capture *c, const char *key)
{
	struct str rest = capture_note_of(c, str_of(key));
	struct str word;

	return str_word(&rest, &word) ? str_sub(word, 0, 40) : STR_NONE;
}

static void reported_figure(const struct reported *r, struct findings *out, struct finding *f,
			    const char *side, const char *key, double value, double dev)
{
	struct str commit = reported_commit(r->in->capture, key);

	if (commit.len)
		side = finding_name(out, "%s (" STR_FMT ")", side, STR_ARG(commit));
	finding_figure(f, side, value, isnan(dev) ? 0 : reported_deviation(value, dev), "");
}

/*
 * If the runs on the two kernels took different times, add both times as figures. Returns true in
 * this case: other figures then compare different amounts of work.
 */
static bool reported_length(const struct reported *r, struct findings *out, struct finding *f)
{
	const struct capture *c = r->in->capture;
	double before, after;
	size_t row;

	if (!reported_row(c, STR("time.elapsed_time|*.time.elapsed_time"), &row))
		return false;
	before = reported_cell(c, row, METRICS_BEFORE);
	after = reported_cell(c, row, METRICS_AFTER);
	if (!(before > 0 && after > 0) ||
	    fmax(before, after) < REPORTED_LENGTH * fmin(before, after))
		return false;
	finding_figure(f, "elapsed time before", before, 0, "s");
	finding_figure(f, "elapsed time after", after, 0, "s");
	finding_evidence(out, f, r->in, c->metrics->lines.data[row], "the elapsed times");
	return true;
}

static void reported_why(const struct reported *r, struct findings *out, struct finding *f)
{
	const struct capture *c = r->in->capture;
	struct str title = str_sub(capture_note_of(c, STR(METRICS_NOTE_AFTER)), 0, 120);
	struct str third = str_sub(capture_note_of(c, STR(METRICS_NOTE_THIRD)), 0, 80);
	struct str commit = reported_commit(c, METRICS_NOTE_AFTER);
	double mended = (r->third - r->after) / (r->before - r->after);

	if (title.len && mended >= REPORTED_MENDED && third.len)
		finding_usual_cause(out, f,
				    "The robot names commit " STR_FMT ". The third kernel, " STR_FMT
				    ", takes the change back",
				    STR_ARG(title), STR_ARG(third));
	else if (title.len)
		finding_usual_cause(out, f, "The robot names commit " STR_FMT, STR_ARG(title));
	if (commit.len)
		finding_next(out, f, "git show %s: the work that this commit adds or removes",
			     finding_word(out, commit, false));
	else
		finding_next(out, f, "git bisect: the commit that changes this figure");
}

static void reported_finding(const struct reported *r, struct findings *out)
{
	const struct capture *c = r->in->capture;
	struct str verdict = capture_note_of(c, STR(METRICS_NOTE_VERDICT));
	struct str commit = reported_commit(c, METRICS_NOTE_AFTER);
	double printed = reported_cell(c, r->row, METRICS_CHANGE);
	double pct = isnan(printed) ? 100 * (r->after - r->before) / r->before : printed;
	bool is_bad = str_contains(verdict, STR("regression"));
	struct finding *f =
		finding_add(out, r->in, &rule_reported_metric,
			    is_bad && fabs(pct) >= REPORTED_LEAD ? FINDING_WARNING : FINDING_NOTE,
			    REPORTED_SURE);

	f->impact = fmin(fabs(pct), 100);
	finding_claim(out, f, STR_FMT " %s by %.1f %%: %s before, %s after%s" STR_FMT,
		      STR_ARG(str_sub(r->metric, 0, 96)), pct < 0 ? "fell" : "rose", fabs(pct),
		      reported_value(out, r->before, r->before_dev),
		      reported_value(out, r->after, r->after_dev), commit.len ? " commit " : "",
		      STR_ARG(commit));
	finding_figure(f, "change of the metric", pct, 0, "%");
	reported_figure(r, out, f, "before", METRICS_NOTE_BEFORE, r->before, r->before_dev);
	reported_figure(r, out, f, "after", METRICS_NOTE_AFTER, r->after, r->after_dev);
	if (!isnan(r->third))
		reported_figure(r, out, f, "third kernel", METRICS_NOTE_THIRD, r->third,
				r->third_dev);
	finding_evidence(out, f, r->in, c->metrics->lines.data[r->row], "the reported metric");
	finding_because(
		out, f,
		"both figures are printed, as means over runs; that the commit is the "
		"reason is the robot's result%s",
		reported_length(r, out, f)
			? ". The runs took different times: other rows compare different work"
			: "");
	reported_why(r, out, f);
}

/* Read the row of the reported metric. False: the table has no such row. */
static bool reported_read(const struct rule_input *in, struct reported *ret)
{
	const struct capture *c = in->capture;

	*ret = (struct reported){ .in = in };
	ret->metric = capture_note_of(c, STR(METRICS_NOTE_METRIC));
	if (!reported_row(c, ret->metric, &ret->row))
		return false;
	ret->before = reported_cell(c, ret->row, METRICS_BEFORE);
	ret->before_dev = reported_cell(c, ret->row, METRICS_BEFORE_DEV);
	ret->after = reported_cell(c, ret->row, METRICS_AFTER);
	ret->after_dev = reported_cell(c, ret->row, METRICS_AFTER_DEV);
	ret->third = reported_cell(c, ret->row, METRICS_THIRD);
	ret->third_dev = reported_cell(c, ret->row, METRICS_THIRD_DEV);
	return ret->before > 0 && !isnan(ret->after);
}

static void reported_check(const struct rule_input *in, struct findings *out)
{
	struct reported r;
	double spread;

	if (capture_note_of(in->capture, STR(METRICS_NOTE_METRIC)).len == 0)
		return;
	if (!reported_read(in, &r)) {
		finding_not_assessed(out, in, &rule_reported_metric, "the whole table of the robot",
				     "the table has no row of the reported metric");
		return;
	}
	spread = hypot(reported_deviation(r.before, r.before_dev),
		       reported_deviation(r.after, r.after_dev));
	if (fabs(r.after - r.before) > REPORTED_SPREADS * spread)
		reported_finding(&r, out);
	else
		finding_clean(out, in, &rule_reported_metric,
			      "runs differ as much as the two kernels: %s before, %s after",
			      reported_value(out, r.before, r.before_dev),
			      reported_value(out, r.after, r.after_dev));
}

const struct rule rule_reported_metric = {
	.id = "reported-metric",
	.title = "Metric that a test robot reports",
	.needs = RULE_METRICS,
	.check = reported_check,
	.is_measured = true,
};
