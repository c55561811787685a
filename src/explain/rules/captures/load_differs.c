/* SPDX-License-Identifier: MIT */
/*
 * A text has several runs of one load generator (wrk, sysbench): compare the run with the lowest
 * rate to the one with the highest.
 *
 * Thresholds: the rates differ by 5 %, since single runs on a quiet machine differ by a few
 * percent. If they differ by a factor of 1.5, the finding is a warning.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/load_differs_names.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(load_differs);

#define LOAD_NOTE 1.05
#define LOAD_LEAD 1.5
#define LOAD_RUNS 16u
#define LOAD_SURE 90u

struct load_run {
	const struct capture *capture;
	const struct counter *row;
	uint32_t number;
};

/*
 * The rate of a run (requests per second); NULL: the capture is no output of a load generator, or
 * the rate is 0.
 */
static const struct counter *load_rate(const struct capture *c)
{
	const struct strings *strings = capture_strings(c);

	if (!c->counters || c->excerpt_of != INDEX_NONE ||
	    !str_glob(STR(LOAD_TOOLS), strings_get(strings, c->counters->tool)))
		return NULL;
	VEC_FOREACH (row, &c->counters->rows) {
		if (str_glob(STR(LOAD_RATES), strings_get(strings, row->name)) && row->value > 0)
			return row;
	}
	return NULL;
}

/* Is it known which run this is? Its author labelled it, or the output prints its settings. */
static bool load_is_known(const struct capture *c)
{
	if (c->counters->label.v)
		return true;
	VEC_FOREACH (row, &c->counters->rows) {
		if (str_glob(STR(LOAD_SETTINGS), strings_get(capture_strings(c), row->name)))
			return true;
	}
	return false;
}

/* Do the settings of two runs differ, as in the number of clients or threads? */
static bool load_is_other(const struct capture *a, const struct capture *b)
{
	VEC_FOREACH (x, &a->counters->rows) {
		if (!str_glob(STR(LOAD_SETTINGS), strings_get(capture_strings(a), x->name)))
			continue;
		VEC_FOREACH (y, &b->counters->rows) {
			if (x->name.v == y->name.v && x->value != y->value)
				return true;
		}
	}
	return false;
}

static const char *load_name(const struct load_run *run, struct findings *out)
{
	struct str label = str_sub(
		strings_get(capture_strings(run->capture), run->capture->counters->label), 0, 60);

	return label.len ? finding_name(out, "'" STR_FMT "'", STR_ARG(label))
			 : finding_name(out, "the run of line %u", run->row->line);
}

static void load_finding(const struct rule_input *in, struct findings *out,
			 const struct load_run *low, const struct load_run *high, size_t n)
{
	const struct strings *strings = capture_strings(low->capture);
	double a = counter_value(low->row);
	double b = counter_value(high->row);
	bool is_same = load_is_known(low->capture) && load_is_known(high->capture);
	struct rule_input side = *in;
	struct finding *f;

	side.capture = low->capture;
	side.number = low->number;
	f = finding_add(out, &side, &rule_load_differs,
			is_same && b / a >= LOAD_LEAD ? FINDING_WARNING : FINDING_NOTE, LOAD_SURE);
	finding_claim(
		out, f,
		"Of %zu runs of " STR_FMT ", %s reaches %.*f " STR_FMT ", %.1f %% below %s (%.*f)",
		n, STR_ARG(strings_get(strings, low->capture->counters->tool)), load_name(low, out),
		a < 100 ? 1 : 0, a, STR_ARG(str_sub(strings_get(strings, low->row->name), 0, 32)),
		100 * (1 - a / b), load_name(high, out), b < 100 ? 1 : 0, b);
	f->impact = 100 * (1 - a / b);
	finding_figure(f, "highest rate against the lowest", b / a, 0, "times");
	finding_evidence(out, f, &side, low->row->line, "the lowest rate");
	side.capture = high->capture;
	side.number = high->number;
	finding_evidence(out, f, &side, high->row->line, "the highest rate");
	finding_because(out, f, "%s",
			is_same ? "one run each: how far equal runs differ is unknown"
				: "one run each, and their numbers of clients were not compared");
	finding_next(out, f,
		     "repeat both runs in turn, five times; the difference must be larger "
		     "than the spread");
	finding_next(out, f, "assay record on both sides during the load, then assay diff A B");
}

static void load_check(const struct rule_input *in, struct findings *out)
{
	struct load_run runs[LOAD_RUNS];
	const struct dossier *d = in->facts->dossier;
	size_t n = 0, low = 0, high = 0;

	for (uint32_t i = 0; i < d->captures.len && n < LOAD_RUNS; i++) {
		const struct capture *c = d->captures.data[i];
		const struct counter *row = load_rate(c);

		if (!row || (n && (row->name.v != runs[0].row->name.v ||
				   c->counters->tool.v != runs[0].capture->counters->tool.v)))
			continue;
		runs[n++] = (struct load_run){ c, row, i };
	}
	for (size_t i = 1; i < n; i++) {
		low = counter_value(runs[i].row) < counter_value(runs[low].row) ? i : low;
		high = counter_value(runs[i].row) > counter_value(runs[high].row) ? i : high;
	}
	if (n > 1 && load_is_other(runs[low].capture, runs[high].capture))
		finding_not_assessed(out, in, &rule_load_differs, "both runs with the same load",
				     "the runs have different numbers of clients or threads");
	else if (n == 1)
		finding_not_assessed(out, in, &rule_load_differs, "the other run, in the same text",
				     "there is one run of a load generator");
	else if (n && counter_value(runs[high].row) >= LOAD_NOTE * counter_value(runs[low].row))
		load_finding(in, out, &runs[low], &runs[high], n);
	else if (n)
		finding_clean(out, in, &rule_load_differs, "%zu runs differ by less than 5 %%", n);
}

const struct rule rule_load_differs = {
	.id = "load-differs",
	.title = "Runs of a load generator reach different rates",
	.needs = RULE_DOSSIER,
	.check = load_check,
	.is_measured = true,
};
