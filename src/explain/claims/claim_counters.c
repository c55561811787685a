/* SPDX-License-Identifier: MIT */
/*
 * claim_counters.c - counters of perf stat, columns of vmstat, mpstat, iostat and others
 *
 * A counter of one run is a fact of the recording, as exact as it is printed. A mean of several
 * runs has the limits of Student's t, from the printed standard error. If an event shared a
 * hardware counter, its value is extrapolated with an unknown error: only the counted part is
 * certain.
 */
#include "analyses/compare/stats_compare.h"
#include "analyses/counters/counter_metrics.h"
#include "analyses/event_unit.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* in percent: an event that was counted for a smaller share of the time is extrapolated */
#define COUNTER_SHARED     99.5
#define COUNTER_NAME_SHOWN 80

/* A value of one interval, with the bounds that follow from its rounding. */
struct count_value {
	double value, low, high;
	uint32_t interval, line;
};

/* The values of the counter that a claim is about. */
struct count_values {
	VEC(struct count_value) rows;
	const struct counter *first; /* first row of the counter; NULL: no row has its name */
	/* name of another counter that the claim also matches; STR_ID_NONE: none */
	str_id other_name;
	/* another object (CPU, device) that the claim also matches; STR_ID_NONE: none */
	str_id other_key;
	bool has_other_key;
	bool is_uncounted; /* the event of a row could not be counted */
	double running;    /* smallest share of the time in which a row was counted, percent */
	double error;      /* standard error of the sum, from repeated runs; NaN: unknown */
	enum claim_unit unit;
	bool has_unit; /* the unit is printed, or part of the name */
};

static struct str count_string(const struct capture *c, str_id id)
{
	return strings_get(capture_strings(c), id);
}

/*
 * Whether the rows of one interval add up to one count, such as the counts of single CPUs. This is
 * true for perf stat.
 */
static bool count_is_sum(const struct capture *c)
{
	return str_eq(count_string(c, c->counters->tool), STR("perf stat"));
}

static bool count_is_meant(const struct capture *capture, const struct counter *row,
			   const struct claim *c)
{
	return str_glob(c->name, count_string(capture, row->name)) &&
	       (!c->of.len || str_glob(c->of, count_string(capture, row->key)));
}

/* Number of ns in the printed unit of @row; 0: the unit is no time. */
static double count_ns(const struct capture *capture, const struct counter *row)
{
	static const struct {
		const char *units;
		double ns;
	} units[] = { { "ns|nsec", 1 },
		      { "us|usec|\u00b5s|\u03bcs", 1e3 },
		      { "ms|msec", 1e6 },
		      { "s|sec|seconds", 1e9 } };
	struct str unit = count_string(capture, row->unit);

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (unit.len && str_glob(str_of(units[i].units), unit))
			return units[i].ns;
	}
	return unit.len ? 0 : 1e9 * counter_metrics_seconds(capture, row);
}

/*
 * Half a unit of the last printed digit of @row. Zeros at the end of a long number may not have
 * been measured, so they do not count as digits. Returns 0 for exact counts: perf stat, one run.
 */
static double count_half(const struct capture *capture, const struct counter *row)
{
	double unit = pow(10, -(double)row->decimals);
	int64_t v = row->value;

	if (row->decimals == 0 && !row->unit.v && count_is_sum(capture) &&
	    capture->counters->runs <= 1)
		return 0;
	while (row->decimals == 0 && v >= 10000 && v % 10 == 0) {
		v /= 10;
		unit *= 10;
	}
	return unit / 2;
}

static void count_add(const struct capture *capture, const struct counter *row,
		      struct count_values *v)
{
	double factor = v->unit == CLAIM_NS ? count_ns(capture, row) : 1;
	double value = counter_value(row) * factor;
	double half = count_half(capture, row) * factor;
	struct count_value *last = v->rows.len ? &v->rows.data[v->rows.len - 1] : NULL;

	v->error += row->spread < 0 ? (double)NAN : fabs(value) * row->spread / 100;
	if (row->running >= 0)
		v->running = fmin(v->running, row->running);
	if (!last || !count_is_sum(capture) || last->interval != row->interval) {
		last = VEC_PUSH(&v->rows);
		*last = (struct count_value){ .interval = row->interval, .line = row->line };
	}
	last->value += value;
	last->low += value - half;
	last->high += value + half;
}

enum claim_unit claim_counters_unit(const struct capture *capture, const struct counter *row)
{
	struct str name = count_string(capture, row->name);

	if (str_find_char(name, '%') < name.len ||
	    str_eq(count_string(capture, row->unit), STR("%")))
		return CLAIM_PERCENT;
	return count_ns(capture, row) > 0 ? CLAIM_NS : CLAIM_NUMBER;
}

/* Collect the values of the counter that @c names, without means since boot. */
static void count_collect(const struct capture *capture, const struct claim *c,
			  struct count_values *v)
{
	const struct counters *k = capture->counters;

	*v = (struct count_values){ .rows = VEC_INIT, .running = 100, .unit = CLAIM_NUMBER };
	VEC_FOREACH (row, &k->rows) {
		if ((k->is_since_boot && row->interval == 0) || !count_is_meant(capture, row, c))
			continue;
		if (row->state != COUNTER_COUNTED) {
			v->is_uncounted = true;
			continue;
		}
		if (!v->first) {
			v->first = row;
			v->unit = claim_counters_unit(capture, row);
			v->has_unit = v->unit != CLAIM_NUMBER || row->unit.v;
		}
		if (row->name.v != v->first->name.v) {
			v->other_name = row->name;
			continue;
		}
		if (row->key.v != v->first->key.v && !v->has_other_key) {
			v->other_key = row->key;
			v->has_other_key = true;
		}
		count_add(capture, row, v);
	}
}

/*
 * The ratio of counters that @c names by its id, such as "ipc", or by the title in assay report,
 * such as "instructions per cycle"; NULL: none.
 */
static const struct counter_metric *count_ratio(const struct counter_metrics *m,
						const struct claim *c)
{
	for (size_t i = 0; m && c->measure == CLAIM_VALUE && i < m->n; i++) {
		const struct counter_metric *row = &m->rows[i];

		struct str title = str_of(row->def->title);

		(void)str_take(&title, STR("of "));
		if (row->def->how == METRIC_RATIO &&
		    (str_eq(c->name, str_of(row->def->id)) || str_eq(c->name, title)))
			return row;
	}
	return NULL;
}

bool claim_counters_have(const struct claim_state *s, uint32_t number, const struct claim *c)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];

	if (!capture->counters || c->target != CLAIM_OF_FUNCTION)
		return false;
	VEC_FOREACH (row, &capture->counters->rows) {
		if (count_is_meant(capture, row, c))
			return true;
	}
	return !c->of.len && count_ratio(s->facts->counters[number], c);
}

void claim_counters_unknown(const struct claim_state *s, const struct claim *c,
			    struct claim_result *r)
{
	const struct dossier *d = s->facts->dossier;
	struct suggest like;
	char why[CLAIM_TEXT_BYTES];
	bool has_name = false;

	suggest_init(&like, c->name);
	VEC_FOREACH (capture, &d->captures) {
		if (!(*capture)->counters)
			continue;
		VEC_FOREACH (row, &(*capture)->counters->rows) {
			struct str name = strings_get(&d->strings, row->name);

			has_name |= str_glob(c->name, name);
			suggest_try(&like, name);
		}
	}
	(void)snprintf(why, sizeof(why), "no counter is called '" STR_FMT "'%s" STR_FMT "%s%s",
		       STR_ARG(str_sub(c->name, 0, COUNTER_NAME_SHOWN)), has_name ? " of " : "",
		       STR_ARG(has_name ? str_sub(c->of, 0, COUNTER_NAME_SHOWN) : STR_NONE),
		       !has_name && like.best[0] ? "; did you mean " : "",
		       has_name ? "" : like.best);
	claim_cannot(r, why, "assay report, which prints the counters and ratios");
}

/* Whether the unit of the claim fits the unit of the counter. If not, set @r to the reason. */
static bool count_unit_fits(const struct claim *c, const struct count_values *v,
			    struct claim_result *r)
{
	enum claim_unit unit = c->measure == CLAIM_PART ? c->beyond_unit : c->unit;
	bool is_percent = true;

	if (unit == v->unit || (c->kind != CLAIM_FIGURE && c->measure != CLAIM_PART))
		return true;
	/* columns of vmstat have no unit: if all values are from 0 to 100, they may be percent */
	VEC_FOREACH (row, &v->rows)
		is_percent &= row->low >= -1 && row->high <= 101;
	if (unit == CLAIM_PERCENT && !v->has_unit && is_percent) {
		r->unit = CLAIM_PERCENT;
		return true;
	}
	if (v->unit == CLAIM_NS)
		claim_cannot(r, "the counter is a time", "a claim with ns, us, ms or s");
	else if (v->unit == CLAIM_PERCENT)
		claim_cannot(r, "the counter is in percent", "a claim with %");
	else
		claim_cannot(r, "the counter has another unit", "a claim with a number alone");
	return false;
}

/*
 * Set @r to "cannot tell", because the claim may mean @a or @b. @what: the reason; @decide: the
 * words that would make the claim clear.
 */
static void count_ambiguous(const struct capture *capture, const char *what, str_id a, str_id b,
			    struct claim_result *r, const char *decide)
{
	char why[CLAIM_TEXT_BYTES];

	(void)snprintf(why, sizeof(why), "%s: " STR_FMT ", " STR_FMT, what,
		       STR_ARG(str_sub(count_string(capture, a), 0, COUNTER_NAME_SHOWN)),
		       STR_ARG(str_sub(count_string(capture, b), 0, COUNTER_NAME_SHOWN)));
	claim_cannot(r, why, decide);
}

/* Whether it is clear which values the claim is about. If not, set @r to the reason. */
static bool count_is_clear(const struct capture *capture, const struct claim *c,
			   const struct count_values *v, struct claim_result *r)
{
	char why[CLAIM_TEXT_BYTES];

	if (v->rows.len == 0) {
		claim_cannot(r,
			     v->is_uncounted ? "the event was not counted"
					     : "the tool printed it as a mean since boot only",
			     v->is_uncounted
				     ? "perf stat with fewer events, on a machine that has it"
				     : "a second interval");
	} else if (v->other_name.v) {
		count_ambiguous(capture, "several counters match", v->first->name, v->other_name, r,
				"the name of one");
	} else if (v->has_other_key && !count_is_sum(capture)) {
		count_ambiguous(capture, "it is counted of several", v->first->key, v->other_key, r,
				"'of NAME' in the claim");
	} else if (c->measure == CLAIM_VALUE && v->rows.len > 1 && !count_is_sum(capture)) {
		(void)snprintf(why, sizeof(why), "it has %zu values, one an interval", v->rows.len);
		claim_cannot(r, why, "a claim about its mean, min, max or p50");
	} else {
		return count_unit_fits(c, v, r);
	}
	return false;
}

static int count_compare(const void *a, const void *b)
{
	const struct count_value *x = a;
	const struct count_value *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Set @r to the share of intervals whose value is beyond the limit in the brackets of the claim. */
static void count_part(const struct claim_state *s, const struct claim *c,
		       const struct count_values *v, struct claim_result *r)
{
	struct claim_part part = { .n = 0 };

	VEC_FOREACH (row, &v->rows)
		claim_part_add(c, &(struct claim_bounds){ .low = row->low, .high = row->high }, 1,
			       &part);
	claim_part_figure(s, &part, false, "intervals", "figures with more digits", r);
	claim_add_line(r, v->rows.data[0].line);
}

/* Set @r to the sum, mean, extreme or percentile of the values. */
static void count_figure(const struct claim *c, struct count_values *v, struct claim_result *r)
{
	size_t n = v->rows.len;
	size_t at = 0;

	r->has_figure = true;
	if (c->measure == CLAIM_VALUE || c->measure == CLAIM_MEAN) {
		double by = c->measure == CLAIM_MEAN ? (double)n : 1;

		VEC_FOREACH (row, &v->rows) {
			r->value += row->value / by;
			r->low += row->low / by;
			r->high += row->high / by;
		}
		claim_add_line(r, v->rows.data[0].line);
	} else {
		qsort(v->rows.data, n, sizeof(*v->rows.data), count_compare);
		if (c->measure == CLAIM_MAX)
			at = n - 1;
		else if (c->measure == CLAIM_QUANTILE)
			at = (size_t)fmax(1, ceil(c->quantile * (double)n)) - 1;
		r->value = v->rows.data[at].value;
		r->low = v->rows.data[at].low;
		r->high = v->rows.data[at].high;
		claim_add_line(r, v->rows.data[at].line);
	}
	if (c->measure == CLAIM_VALUE)
		return;
	r->n = (double)n;
	r->n_of = "intervals";
}

/* Widen the limits of @r by the errors of repeated runs and of shared hardware counters. */
static void count_chance(const struct claim_state *s, const struct counters *k, double error,
			 double running, struct claim_result *r)
{
	if (s->options->is_recorded_only)
		return;
	if (k->runs > 1) {
		double t = stats_t_critical(s->alpha, k->runs - 1);

		r->is_sampled = true;
		r->n = k->runs;
		r->n_of = "runs";
		if (isnan(error)) {
			claim_cannot(r, "it is a mean of several runs without their spread",
				     "--recorded, which judges the printed figures");
			return;
		}
		r->low -= t * error;
		r->high += t * error;
	}
	if (running < COUNTER_SHARED) {
		r->low = fmin(r->low, r->low * running / 100);
		r->high = INFINITY;
		(void)snprintf(r->why, sizeof(r->why),
			       "counted in %.1f %% of the time, the rest is extrapolated", running);
		(void)snprintf(r->decide, sizeof(r->decide), "%s",
			       "perf stat with fewer events at once, or --recorded");
	}
}

/* Set @r to the ratio @m of two counters, as `assay report` prints it. */
static void count_ratio_figure(const struct claim_state *s, const struct capture *capture,
			       const struct counter_metric *m, const struct claim *c,
			       struct claim_result *r)
{
	double error = (m->high - m->low) / 2 / STATS_Z95;
	double running = m->running < 0 ? 100 : m->running;

	r->unit = str_eq(str_of(m->def->unit), STR("%")) ? CLAIM_PERCENT : CLAIM_NUMBER;
	if (c->unit != r->unit && c->kind == CLAIM_FIGURE) {
		claim_cannot(r, "the ratio has another unit",
			     r->unit == CLAIM_PERCENT ? "a claim with %"
						      : "a claim with a number alone");
		return;
	}
	r->has_figure = true;
	r->value = r->low = r->high = m->value;
	/* rounding error of a printed ratio: perf prints two decimals or more */
	if (!m->bottom.v) {
		r->low -= 0.005;
		r->high += 0.005;
	}
	count_chance(s, capture->counters, m->low < m->high ? error : (double)NAN, running, r);
	if (running < COUNTER_SHARED && !s->options->is_recorded_only)
		r->low = 0;
	claim_add_line(r, m->line);
	claim_add_line(r, m->bottom_line);
	(void)snprintf(r->of, sizeof(r->of), "%s", "");
}

void claim_counters_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			    struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const struct counter_metric *ratio = count_ratio(s->facts->counters[number], c);
	struct count_values v;
	struct str unit;

	if (c->n_in || c->under.len) {
		claim_cannot(r, "counters are judged for all threads and times together",
			     "a claim without 'in' and 'under'");
		return;
	}
	count_collect(capture, c, &v);
	if (!v.first && !v.is_uncounted && ratio) {
		count_ratio_figure(s, capture, ratio, c, r);
	} else {
		r->unit = v.unit;
		if (count_is_clear(capture, c, &v, r) && c->measure == CLAIM_PART) {
			count_part(s, c, &v, r);
		} else if (!r->is_final) {
			count_figure(c, &v, r);
			unit = count_string(capture, v.first->unit);
			if (r->unit == CLAIM_NUMBER && unit.len)
				(void)snprintf(r->of, sizeof(r->of), STR_FMT,
					       STR_ARG(str_sub(unit, 0, EVENT_UNIT_MAX - 1)));
			count_chance(s, capture->counters, v.error, v.running, r);
		}
	}
	VEC_FREE(&v.rows);
}
