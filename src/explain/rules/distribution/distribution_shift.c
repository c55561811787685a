/* SPDX-License-Identifier: MIT */
/*
 * A text shows one distribution twice, before and after a change: did the values become larger?
 *
 * Headings above the histograms name the sides. Both sides are compared at a common bound: the
 * upper bound of the bucket that contains the smaller of both medians. The shares of the values
 * above this bound are compared. A second comparison uses the smaller 99th percentile instead of
 * the median.
 *
 * Thresholds: 100 values on each side. The share above the median's bound changes by 10 points, or
 * the share above the bound of p99 by a factor of three. The probability that this is chance is at
 * most 1 in 1000. The finding is always a note: a single recording of each side does not show how
 * much two recordings of the same side differ.
 */
#include "explain/words/spread_words.h"

#include "analyses/compare/stats_compare.h"
#include "analyses/distributions/spread.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(distribution_shift);

#define SHIFT_VALUES 100u
/* minimum change of the share of values above the median's bound: 10 percentage points */
#define SHIFT_POINTS 0.10
#define SHIFT_TIMES  3.0
#define SHIFT_CHANCE 0.001
#define SHIFT_SURE   75u
#define SHIFT_MOST   3u /* maximum number of findings of a capture */

/* Share of the values (0 to 1) in buckets whose lower bound is at least @bound. */
static struct stats_side shift_above(const struct spread *s, double bound)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->series->n_buckets; i++)
		n += s->buckets[i].low >= bound ? s->buckets[i].count : 0;
	return (struct stats_side){ (double)n / (double)s->series->count,
				    (double)s->series->count };
}

/* Whether @bound is inside no bucket of @s. The values above it can then be counted exactly. */
static bool shift_has_bound(const struct spread *s, double bound)
{
	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		if (s->buckets[i].low < bound && s->buckets[i].high > bound)
			return false;
	}
	return true;
}

/* Do @a and @b measure the same quantity, before and after the change? */
static bool shift_is_pair(const struct spread *a, const struct spread *b)
{
	return a->series->side == SIDE_BASE && b->series->side == SIDE_CHANGED &&
	       a->series->key.v == b->series->key.v && a->series->name.v == b->series->name.v &&
	       a->series->unit.v == b->series->unit.v;
}

/* The same distribution as @a after the change; NULL: none, or several. */
static const struct spread *shift_other(const struct rule_input *in, const struct spread *a)
{
	const struct spread *ret = NULL;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (shift_is_pair(a, s)) {
			if (ret)
				return NULL;
			ret = s;
		}
	}
	return ret;
}

/*
 * Compare the shares of the values above @bound before (@a) and after (@b) the change. 1: the share
 * grew; -1: it fell; 0: no significant difference.
 */
static int shift_at(const struct spread *a, const struct spread *b, double bound, bool is_tail)
{
	struct stats_side x = shift_above(a, bound), y = shift_above(b, bound);

	if (!shift_has_bound(a, bound) || !shift_has_bound(b, bound) ||
	    stats_difference_p(x, y, false, STATS_DF_NORMAL) > SHIFT_CHANCE)
		return 0;
	if (is_tail ? y.value >= x.value * SHIFT_TIMES : y.value - x.value >= SHIFT_POINTS)
		return 1;
	if (is_tail ? y.value * SHIFT_TIMES <= x.value : x.value - y.value >= SHIFT_POINTS)
		return -1;
	return 0;
}

static struct str shift_label(const struct rule_input *in, const struct spread *s)
{
	return strings_get(capture_strings(in->capture), s->series->label);
}

static void shift_finding(const struct rule_input *in, struct findings *out, const struct spread *a,
			  const struct spread *b, int way, bool is_tail)
{
	struct spread_bounds from = is_tail ? a->p99 : a->p50, to = is_tail ? b->p99 : b->p50;
	bool is_time = spread_is_time(in->capture, a->series);
	double bound = fmin(from.high, to.high);
	struct stats_side x = shift_above(a, bound), y = shift_above(b, bound);
	struct finding *f =
		finding_add(out, in, &rule_distribution_shift, FINDING_NOTE, SHIFT_SURE);

	finding_claim(out, f,
		      "%s %s '" STR_FMT "': %s %s instead of %s; %.1f %% of values are at least "
		      "%s, and were %.1f %% '" STR_FMT "'",
		      spread_words_of(in, out, a->series),
		      way > 0 ? (is_time ? "is longer" : "is larger")
			      : (is_time ? "is shorter" : "is smaller"),
		      STR_ARG(shift_label(in, b)), is_tail ? "99th percentile" : "median",
		      spread_words_range(in, out, b->series, to),
		      spread_words_range(in, out, a->series, from), 100 * y.value,
		      spread_words_value(in, out, a->series, bound), 100 * x.value,
		      STR_ARG(shift_label(in, a)));
	f->impact = 100 * (y.value > x.value ? y.value - x.value : x.value - y.value);
	finding_figure(f, "values before", (double)a->series->count, 0, "");
	finding_figure(f, "values after", (double)b->series->count, 0, "");
	spread_words_evidence(in, out, f, a, from);
	spread_words_evidence(in, out, f, b, to);
	finding_because(out, f,
			"headings name the sides\n"
			"how much two recordings of one side differ");
	finding_next(
		out, f,
		"record each side five times, in turn: does every recording of one side differ "
		"from every one of the other");
}

static void shift_check(const struct rule_input *in, struct findings *out)
{
	size_t pairs = 0, n = 0, small = 0;

	VEC_FOREACH (a, &in->spreads->rows) {
		const struct spread *b = shift_other(in, a);
		int way;

		if (!b)
			continue;
		if (a->series->is_relative || b->series->is_relative ||
		    a->series->count < SHIFT_VALUES || b->series->count < SHIFT_VALUES) {
			small++;
			continue;
		}
		pairs++;
		way = shift_at(a, b, fmin(a->p50.high, b->p50.high), false);
		if (way && n < SHIFT_MOST)
			shift_finding(in, out, a, b, way, false);
		n += way != 0;
		if (way)
			continue;
		way = shift_at(a, b, fmin(a->p99.high, b->p99.high), true);
		if (way && n < SHIFT_MOST)
			shift_finding(in, out, a, b, way, true);
		n += way != 0;
	}
	if (small && !pairs)
		finding_not_assessed(out, in, &rule_distribution_shift,
				     "histograms of at least 100 values on each side",
				     "the histograms before and after have too few values");
	else if (pairs && !n)
		finding_clean(out, in, &rule_distribution_shift,
			      "%zu pair%s of histograms, before and after, do not differ", pairs,
			      pairs == 1 ? "" : "s");
}

const struct rule rule_distribution_shift = {
	.id = "distribution-shift",
	.title = "Shifted distribution: before and after",
	.needs = RULE_DISTRIBUTION,
	.check = shift_check,
	.is_measured = true,
};
