/* SPDX-License-Identifier: MIT */
/*
 * The p99 of a latency is far above its median, or a few slow values have most of the time.
 *
 * Thresholds: if p99 is ten times the median, it is a note, because there must be a second code
 * path. Thirty times is a warning: one request in a hundred seems to hang. Half of the time in the
 * slowest values is a warning, too. If the longest value is below 100 us, users do not notice; a
 * warning needs 1 ms. A value of at least 100 ms that is a thousand times p99.9 is an outlier.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/plural.h"
#include "base/vec.h"
#include "core/kinds/distribution.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(latency_tail);

#define TAIL_NOTE      10.0
#define TAIL_LEAD      30.0
#define TAIL_NOTICE_NS 100e3
#define TAIL_LEAD_NS   1e6
#define TAIL_PART_PCT  50.0
/*
 * If the longest value is this many times p99.9, its cause is a timeout or a lost wakeup, and not a
 * high load.
 */
#define TAIL_OUTLIER    1000.0
#define TAIL_OUTLIER_NS 100e6
#define TAIL_MIN        100u
/* a series is unimportant if it has less than this part (0 to 1) of another series' time */
#define TAIL_SMALL 0.05
/* a series with less than this part is not reported, unless a value is TAIL_OUTLIER_NS or longer */
#define TAIL_TRIVIAL 0.01
#define TAIL_MOST    3u

static double tail_ratio(const struct spread *s)
{
	return s->p50.high > 0 && !isinf(s->p50.high) ? s->p99.low / s->p50.high : 0;
}

/* Is the longest value far above all others? */
static bool tail_has_outlier(const struct spread *s)
{
	return s->p999.high > 0 && s->max.low >= TAIL_OUTLIER_NS &&
	       s->max.low >= s->p999.high * TAIL_OUTLIER;
}

static bool tail_is_outlier_only(const struct spread *s)
{
	return tail_ratio(s) < TAIL_NOTE && s->tail_part.low < TAIL_PART_PCT;
}

/*
 * Percentage of the values in the bucket of p99 and in all higher buckets. In a histogram this is
 * more than 1 %, because the bucket of p99 also has values below p99. If only percentiles are
 * known, it is 1 %.
 */
static double tail_slow_pct(const struct spread *s)
{
	uint64_t n = 0;

	if (s->series->is_percentiles || s->series->count == 0)
		return 1;
	for (uint32_t i = 0; i < s->series->n_buckets; i++)
		n += s->buckets[i].low >= s->p99.low ? s->buckets[i].count : 0;
	return (double)n / (double)s->series->count * 100;
}

static void tail_claim(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct spread *s)
{
	const char *of = spread_words_of(in, out, s->series);
	const char *median = spread_words_range(in, out, s->series, s->p50);

	if (s->tail_part.low >= TAIL_PART_PCT)
		finding_claim(out, f,
			      "%s has outliers: %.1f %% of the values (%llu, above %s) take at "
			      "least %.0f %% of the time; the median is %s",
			      of, (double)s->tail_count / (double)s->series->count * 100,
			      (unsigned long long)s->tail_count,
			      spread_words_value(in, out, s->series, s->p99.high), s->tail_part.low,
			      median);
	else if (tail_is_outlier_only(s))
		finding_claim(out, f,
			      "%s has outliers: the longest is %s, %.0f times p99.9 (%s); the "
			      "median is %s",
			      of, spread_words_range(in, out, s->series, s->max),
			      floor(s->max.low / s->p999.high),
			      spread_words_range(in, out, s->series, s->p999), median);
	else
		finding_claim(out, f,
			      "%s has a long tail: %s %% take %s or longer, at least %.0f times "
			      "the median (%s)",
			      of, finding_amount(out, 2, tail_slow_pct(s)),
			      spread_words_value(in, out, s->series, s->p99.low),
			      floor(tail_ratio(s)), median);
}

/*
 * Do the values of @s take less than @part (0 to 1) of the time of another series of the capture?
 */
static bool tail_is_small(const struct rule_input *in, const struct spread *s, double part)
{
	VEC_FOREACH (other, &in->spreads->rows) {
		if (spread_is_time(in->capture, other->series) &&
		    !spread_is_idle(in->capture, other->series) && !spread_is_wrapped(other) &&
		    s->sum.high < other->sum.low * part)
			return true;
	}
	return false;
}

static void tail_finding(const struct rule_input *in, struct findings *out, const struct spread *s)
{
	bool is_far = tail_ratio(s) >= TAIL_LEAD || s->tail_part.low >= TAIL_PART_PCT;
	enum spread_subject subject = spread_subject_of(in->capture, s->series);
	bool may_wait = spread_may_wait_for_input(in->capture, s->series);
	bool is_small = tail_is_small(in, s, TAIL_SMALL);
	bool leads = is_far && !may_wait && !is_small && s->max.low >= TAIL_LEAD_NS;
	struct finding *f = finding_add(out, in, &rule_latency_tail,
					leads ? FINDING_WARNING : FINDING_NOTE, may_wait ? 60 : 90);

	f->impact = is_small ? 1 : s->tail_part.low >= TAIL_PART_PCT ? s->tail_part.low : 10;
	tail_claim(in, out, f, s);
	if (!s->series->is_relative)
		finding_figure(f, "values", (double)s->series->count, 0, "");
	spread_words_figure(in, out, f, "p50", s->series, s->p50);
	spread_words_figure(in, out, f, "p99", s->series, s->p99);
	spread_words_figure(in, out, f, "p99.9", s->series, s->p999);
	spread_words_figure(in, out, f, "longest", s->series, s->max);
	/*
	 * If the ratio is below 1, p50 and p99 are in the same bucket, and the ratio means nothing.
	 */
	if (tail_ratio(s) >= 1)
		finding_figure(f, "p99 / p50, at least", tail_ratio(s), 0, "");
	spread_words_evidence(
		in, out, f, s,
		s->tail_part.low >= TAIL_PART_PCT || tail_is_outlier_only(s) ? s->max : s->p99);
	spread_words_evidence(in, out, f, s, s->p50);
	finding_usual_cause(
		out, f, "%s",
		tail_is_outlier_only(s)
			? "These values are no slower version of the others: a lost wakeup that "
			  "a timer repaired, a retry after a timeout, or a pause of the machine"
			: spread_words_cause(in, s->series));
	finding_because(out, f, "each percentile lies between the bounds of its bucket");
	finding_next(out, f, "%s", spread_words_next(subject, spread_words_has_key(in, s->series)));
}

static void tail_check(const struct rule_input *in, struct findings *out)
{
	size_t n = 0, judged = 0;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (!spread_is_time(in->capture, s->series) ||
		    spread_is_idle(in->capture, s->series) ||
		    spread_subject_of(in->capture, s->series) == SPREAD_ON_CPU ||
		    spread_is_wrapped(s) || s->series->count < TAIL_MIN)
			continue;
		judged++;
		if (n == TAIL_MOST || s->max.low < TAIL_NOTICE_NS ||
		    (tail_is_outlier_only(s) && !tail_has_outlier(s)) ||
		    (s->max.low < TAIL_OUTLIER_NS && tail_is_small(in, s, TAIL_TRIVIAL)))
			continue;
		tail_finding(in, out, s);
		n++;
	}
	if (judged == 0)
		finding_not_assessed(out, in, &rule_latency_tail,
				     "funclatency, biolatency, or hist(nsecs) of bpftrace",
				     "no distribution of times with %u values", TAIL_MIN);
	else if (n == 0)
		finding_clean(
			out, in, &rule_latency_tail,
			"%zu distribution%s: p99 is below ten times the median, or all values "
			"are short or few",
			judged, plural(judged));
}

const struct rule rule_latency_tail = {
	.id = "latency-tail",
	.title = "Tail latency",
	.needs = RULE_DISTRIBUTION,
	.is_general = true,
	.check = tail_check,
	.is_measured = true,
};
