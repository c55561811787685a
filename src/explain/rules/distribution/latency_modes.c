/* SPDX-License-Identifier: MIT */
/*
 * The values of a latency form two groups, fast ones and slow ones. The mean describes neither
 * group.
 *
 * Thresholds: the slow peak is at least four times the fast one, since adjacent buckets of a log2
 * histogram differ by a factor of two. For a warning, the slow values must have most of the time,
 * and take 1 ms.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/plural.h"
#include "base/vec.h"
#include "core/kinds/distribution.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(latency_modes);

#define MODES_FACTOR  4.0
#define MODES_LEAD_NS 1e6
#define MODES_MIN     50u /* minimum number of values in a histogram */
#define MODES_MOST    3u

static struct spread_bounds modes_range(const struct spread *s, const struct spread_mode *m)
{
	return (struct spread_bounds){ s->buckets[m->peak].low, s->buckets[m->peak].high };
}

/*
 * Do the slow values certainly have most of the time? A histogram has only ranges. So the lowest
 * possible sum of the slow values must exceed the highest possible sum of the others.
 */
static bool modes_is_most_time(const struct spread *s, const struct spread_mode *slow)
{
	double in_slow = 0, others = 0;

	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		const struct distribution_bucket *b = &s->buckets[i];

		if (i >= slow->from)
			in_slow += (double)b->count * b->low;
		else
			others += (double)b->count * b->high;
	}
	return in_slow > others;
}

static void modes_finding(const struct rule_input *in, struct findings *out, const struct spread *s)
{
	const struct spread_mode *fast = &s->modes[0];
	const struct spread_mode *slow = &s->modes[s->n_modes - 1];
	double n = (double)s->series->count;
	bool is_most = modes_is_most_time(s, slow);
	bool may_wait = spread_may_wait_for_input(in->capture, s->series);
	bool leads = is_most && !may_wait && s->buckets[slow->peak].low >= MODES_LEAD_NS;
	enum spread_subject subject = spread_subject_of(in->capture, s->series);
	struct finding *f = finding_add(out, in, &rule_latency_modes,
					leads ? FINDING_WARNING : FINDING_NOTE, may_wait ? 60 : 90);

	f->impact = (double)slow->count / n * 100;
	finding_claim(out, f,
		      "%s is %s: %.1f %% of the values lie around %s, %.1f %% (%llu) around %s%s",
		      spread_words_of(in, out, s->series),
		      s->n_modes == 2 ? "bimodal" : "multimodal", (double)fast->count / n * 100,
		      spread_words_range(in, out, s->series, modes_range(s, fast)),
		      (double)slow->count / n * 100, (unsigned long long)slow->count,
		      spread_words_range(in, out, s->series, modes_range(s, slow)),
		      is_most ? "; the slow values take most of the time" : "");
	finding_figure(f, "values", n, 0, "");
	finding_figure(f, "slow values", (double)slow->count, 0, "");
	finding_figure(f, "share of slow values", (double)slow->count / n * 100, 0, "%");
	spread_words_figure(in, out, f, "fast peak", s->series, modes_range(s, fast));
	spread_words_figure(in, out, f, "slow peak", s->series, modes_range(s, slow));
	spread_words_evidence(in, out, f, s, modes_range(s, slow));
	spread_words_evidence(in, out, f, s, modes_range(s, fast));
	finding_usual_cause(out, f, "%s", spread_words_cause(in, s->series));
	finding_because(out, f, "fewer values lie between the two peaks than chance explains");
	finding_next(out, f, "%s", spread_words_next(subject, spread_words_has_key(in, s->series)));
}

static void modes_check(const struct rule_input *in, struct findings *out)
{
	size_t n = 0, judged = 0;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (!spread_is_time(in->capture, s->series) ||
		    spread_is_idle(in->capture, s->series) || spread_is_wrapped(s) ||
		    s->series->is_percentiles || s->series->count < MODES_MIN)
			continue;
		judged++;
		if (n == MODES_MOST || s->n_modes < 2 ||
		    s->buckets[s->modes[s->n_modes - 1].peak].low <
			    MODES_FACTOR * s->buckets[s->modes[0].peak].high)
			continue;
		modes_finding(in, out, s);
		n++;
	}
	if (judged == 0)
		finding_not_assessed(out, in, &rule_latency_modes,
				     "funclatency, biolatency, or hist(nsecs) of bpftrace",
				     "no histogram of times with %u values", MODES_MIN);
	else if (n == 0)
		finding_clean(out, in, &rule_latency_modes, "%zu histogram%s one peak%s", judged,
			      plural_of(judged, " of times has", "s of times have"),
			      plural_of(judged, "", " each"));
}

const struct rule rule_latency_modes = {
	.id = "latency-modes",
	.title = "Bimodal latency",
	.needs = RULE_DISTRIBUTION,
	.is_general = true,
	.check = modes_check,
	.is_measured = true,
};
