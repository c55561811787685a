/* SPDX-License-Identifier: MIT */
/*
 * A text has several runs of one load generator (wrk, sysbench): compare the run with the lowest
 * rate to the one with the highest. If a text has no such runs, compare two figures that it states:
 * one for "before" and one for "after", each in a line of its own.
 *
 * Thresholds: the rates differ by 5 %, since single runs on a quiet machine differ by a few
 * percent. If they differ by a factor of 1.5, the finding is a warning.
 */
#include "analyses/distributions/spread.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/load_differs_names.h"
#include "explain/rule.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(load_differs);

#define LOAD_NOTE        1.05
#define LOAD_LEAD        1.5
#define LOAD_RUNS        16u
#define LOAD_SURE        90u
#define LOAD_STATED_SURE 75u
/* maximum number of lines between two captures of one run's output */
#define LOAD_GAP 3u

struct load_run {
	const struct capture *capture;
	const struct counter *row;
	uint32_t number;
	double rate;
	enum capture_side side;
};

static const struct counter *load_row(const struct capture *c, const char *names)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (str_glob(str_of(names), strings_get(capture_strings(c), row->name)) &&
		    row->value > 0)
			return row;
	}
	return NULL;
}

/*
 * Set the rate of a run, in requests per second. If the output has lost its end and prints no rate,
 * compute the rate from the number of requests and the duration. False: @c is no output of a load
 * generator, or the rate is unknown or 0.
 */
static bool load_rate(const struct capture *c, struct load_run *ret)
{
	const struct counter *duration;

	if (!c->counters || c->excerpt_of != INDEX_NONE ||
	    !str_glob(STR(LOAD_TOOLS), strings_get(capture_strings(c), c->counters->tool)))
		return false;
	*ret = (struct load_run){ .capture = c, .row = load_row(c, LOAD_RATES) };
	if (ret->row) {
		ret->rate = counter_value(ret->row);
		return true;
	}
	ret->row = load_row(c, LOAD_COUNTS);
	duration = load_row(c, LOAD_DURATIONS);
	if (!ret->row || !duration)
		return false;
	ret->rate = counter_value(ret->row) / counter_value(duration);
	return true;
}

/*
 * The side of the comparison to which capture @number belongs. If the capture has no side of its
 * own, an earlier capture of the same input determines it, because one heading may apply to several
 * captures.
 */
static enum capture_side load_side(const struct dossier *d, uint32_t number)
{
	for (uint32_t i = number + 1; i-- > 0;) {
		const struct capture *c = d->captures.data[i];

		if (c->path.v != d->captures.data[number]->path.v)
			break;
		if (c->side != SIDE_NONE)
			return c->side;
	}
	return SIDE_NONE;
}

/*
 * Are @a and @b the same run? The output of one run may be split into several captures: @a has the
 * number of requests, and @b the printed rate, at most LOAD_GAP lines below. Such rows have
 * different names.
 */
static bool load_is_same(const struct load_run *a, const struct load_run *b)
{
	return b->row->line >= a->row->line && b->row->line <= a->row->line + LOAD_GAP &&
	       a->row->name.v != b->row->name.v;
}

/* Can this run be identified? Its author labelled it, or the output prints its settings. */
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

	if (label.len == 0 && run->side != SIDE_NONE)
		return run->side == SIDE_FIRST ? "'before'" : "'after'";
	return label.len ? finding_name(out, "'" STR_FMT "'", STR_ARG(label))
			 : finding_name(out, "the run of line %u", run->row->line);
}

/*
 * Find the latencies of the run @of: the nearest distribution with a single series, at most
 * LOAD_GAP lines above the capture of the run. False: there is none on the same side of the
 * comparison, or its values are no times.
 */
static bool load_latency(const struct rule_input *in, const struct load_run *of, struct spread *ret)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = of->number + 1; i-- > 0;) {
		const struct capture *c = d->captures.data[i];

		if (c->path.v != of->capture->path.v || load_side(d, i) != of->side)
			break;
		if (!c->distribution || c->distribution->series.len != 1 ||
		    c->last_line + LOAD_GAP < of->capture->first_line)
			continue;
		spread_compute(c, 0, ret);
		return spread_is_time(c, ret->series);
	}
	return false;
}

static const char *load_time(struct findings *out, struct spread_bounds b)
{
	struct str text = spread_text(&out->arena, b, /* is_time= */ true, STR_NONE,
				      /* is_ascii= */ false);

	return finding_name(out, STR_FMT, STR_ARG(text));
}

/* ", p50 18.59 ms and 15.29 ms, p99 141.9 ms and 111.7 ms", if both sides print them. */
static const char *load_latencies(const struct rule_input *in, struct findings *out,
				  const struct load_run *a, const struct load_run *b)
{
	struct spread x, y;

	if (!load_latency(in, a, &x) || !load_latency(in, b, &y))
		return "";
	return finding_name(out, ", p50 %s and %s, p99 %s and %s", load_time(out, x.p50),
			    load_time(out, y.p50), load_time(out, x.p99), load_time(out, y.p99));
}

static struct str load_unit(const struct load_run *run)
{
	struct str name = strings_get(capture_strings(run->capture), run->row->name);

	return str_glob(STR(LOAD_COUNTS), name) ? STR("requests per second") : str_sub(name, 0, 32);
}

static void load_finding(const struct rule_input *in, struct findings *out,
			 const struct load_run *low, const struct load_run *high, size_t n)
{
	const struct strings *strings = capture_strings(low->capture);
	double a = low->rate;
	double b = high->rate;
	bool is_same = (load_is_known(low->capture) || low->side != SIDE_NONE) &&
		       (load_is_known(high->capture) || high->side != SIDE_NONE);
	struct rule_input side = *in;
	struct finding *f;

	side.capture = low->capture;
	side.number = low->number;
	f = finding_add(out, &side, &rule_load_differs,
			is_same && b / a >= LOAD_LEAD ? FINDING_WARNING : FINDING_NOTE, LOAD_SURE);
	finding_claim(out, f,
		      "Of %zu runs of " STR_FMT ", %s reaches %.*f " STR_FMT
		      ", %.1f %% below %s (%.*f)%s%s",
		      n, STR_ARG(strings_get(strings, low->capture->counters->tool)),
		      load_name(low, out), a < 100 ? 1 : 0, a, STR_ARG(load_unit(low)),
		      100 * (1 - a / b), load_name(high, out), b < 100 ? 1 : 0, b,
		      n == 2 ? ", one run each" : "", load_latencies(in, out, low, high));
	f->impact = 100 * (1 - a / b);
	finding_figure(f, "highest rate against the lowest", b / a, 0, "times");
	finding_evidence(out, f, &side, low->row->line, "the lowest rate");
	side.capture = high->capture;
	side.number = high->number;
	finding_evidence(out, f, &side, high->row->line, "the highest rate");
	finding_because(
		out, f, "%s",
		is_same ? "both sides are printed, from one run each\n"
			  "how far equal runs differ"
			: "both sides are printed, from one run each\n"
			  "how far equal runs differ, and whether both had the same clients");
	finding_next(out, f,
		     "repeat both runs in turn, five times; the difference must be larger "
		     "than the spread");
	finding_next(out, f, "assay record on both sides during the load, then assay diff A B");
}

/*
 * Are both rates the same quantity? They are if their rows have the same name, or if both are
 * numbers of requests per second, printed or computed.
 */
static bool load_is_comparable(const struct load_run *a, const struct load_run *b)
{
	const char *per_second = LOAD_PER_SECOND;

	return a->row->name.v == b->row->name.v ||
	       (str_glob(str_of(per_second),
			 strings_get(capture_strings(a->capture), a->row->name)) &&
		str_glob(str_of(per_second),
			 strings_get(capture_strings(b->capture), b->row->name)));
}

/*
 * Find the figure that the text states on side @side with the same name as @like. NULL: none, or
 * several.
 */
static const struct capture_fact *load_stated(const struct dossier *d, str_id path, str_id like,
					      enum capture_side side)
{
	const struct capture_fact *ret = NULL;

	VEC_FOREACH (c, &d->captures) {
		if ((*c)->path.v != path.v)
			continue;
		VEC_FOREACH (fact, &(*c)->facts) {
			if (fact->name.v != like.v || fact->side != side)
				continue;
			if (ret && ret->line != fact->line)
				return NULL;
			ret = fact;
		}
	}
	return ret;
}

static void load_stated_finding(const struct rule_input *in, struct findings *out, uint32_t number,
				const struct capture_fact *a, const struct capture_fact *b)
{
	const struct dossier *d = in->facts->dossier;
	double low = (double)(a->value < b->value ? a->value : b->value);
	double high = (double)(a->value < b->value ? b->value : a->value);
	bool is_less = b->value < a->value;
	struct rule_input side = *in;
	struct finding *f;

	side.capture = d->captures.data[number];
	side.number = number;
	f = finding_add(out, &side, &rule_load_differs,
			high / low >= LOAD_LEAD ? FINDING_WARNING : FINDING_NOTE, LOAD_STATED_SURE);
	finding_claim(out, f, STR_FMT " is %llu before and %llu after: %.1f %% %s",
		      STR_ARG(str_sub(strings_get(&d->strings, a->name), 0, 60)),
		      (unsigned long long)a->value, (unsigned long long)b->value,
		      is_less ? 100 * (1 - low / high) : 100 * (high / low - 1),
		      is_less ? "less" : "more");
	f->impact = 100 * (1 - low / high);
	finding_figure(f, "highest figure against the lowest", high / low, 0, "times");
	finding_evidence(out, f, &side, a->line, "before");
	finding_evidence(out, f, &side, b->line, "after");
	finding_because(out, f,
			"the text states both figures\n"
			"how often they were measured");
	finding_next(out, f,
		     "repeat both runs in turn, five times; the difference must be larger "
		     "than the spread");
	finding_next(out, f, "assay record on both sides during the load, then assay diff A B");
}

/*
 * Compare the first figure of a benchmark that the text states for both sides. False: there is no
 * such figure.
 */
static bool load_check_stated(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		VEC_FOREACH (fact, &c->facts) {
			const struct capture_fact *a, *b;

			if (!str_glob(STR(LOAD_STATED), strings_get(&d->strings, fact->name)))
				continue;
			a = load_stated(d, c->path, fact->name, SIDE_FIRST);
			b = load_stated(d, c->path, fact->name, SIDE_SECOND);
			if (!a || !b || !a->value || !b->value ||
			    fmax((double)a->value, (double)b->value) <
				    LOAD_NOTE * fmin((double)a->value, (double)b->value))
				continue;
			load_stated_finding(in, out, i, a, b);
			return true;
		}
	}
	return false;
}

static void load_check(const struct rule_input *in, struct findings *out)
{
	struct load_run runs[LOAD_RUNS];
	const struct dossier *d = in->facts->dossier;
	size_t n = 0, low = 0, high = 0;

	for (uint32_t i = 0; i < d->captures.len && n < LOAD_RUNS; i++) {
		struct load_run run;

		if (!load_rate(d->captures.data[i], &run))
			continue;
		run.number = i;
		run.side = load_side(d, i);
		/* replace the computed rate by the printed one, which has more digits */
		if (n && load_is_same(&runs[n - 1], &run)) {
			runs[n - 1] = run;
			continue;
		}
		if (n && (!load_is_comparable(&run, &runs[0]) ||
			  run.capture->counters->tool.v != runs[0].capture->counters->tool.v))
			continue;
		runs[n++] = run;
	}
	for (size_t i = 1; i < n; i++) {
		low = runs[i].rate < runs[low].rate ? i : low;
		high = runs[i].rate > runs[high].rate ? i : high;
	}
	if (n == 0 && load_check_stated(in, out))
		return;
	if (n > 1 && load_is_other(runs[low].capture, runs[high].capture))
		finding_not_assessed(out, in, &rule_load_differs, "both runs with the same load",
				     "the runs have different numbers of clients or threads");
	else if (n == 1)
		finding_not_assessed(out, in, &rule_load_differs, "the other run, in the same text",
				     "there is one run of a load generator");
	else if (n && runs[high].rate >= LOAD_NOTE * runs[low].rate)
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
