/* SPDX-License-Identifier: MIT */
/*
 * A histogram of times has values of years: the end was measured before the begin, and the unsigned
 * difference wrapped around.
 *
 * Threshold: such a value is above 10 years (SPREAD_IMPOSSIBLE_NS).
 */
#include "analyses/distributions/spread.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/spread_words.h"

#include <inttypes.h>

DECLARE_RULE(wrapped_durations);

#define WRAPPED_SURE 95u
#define NS_PER_YEAR  3.156e16

static void wrapped_finding(const struct rule_input *in, struct findings *out,
			    const struct spread *s)
{
	uint64_t n = 0;
	uint32_t line = 0;
	double low = 0;
	struct finding *f;

	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		const struct distribution_bucket *b = &s->buckets[i];

		if (b->count == 0 || b->low <= SPREAD_IMPOSSIBLE_NS)
			continue;
		low = n ? low : b->low;
		line = n ? line : b->line;
		n += b->count;
	}
	f = finding_add(out, in, &rule_wrapped_durations, FINDING_WARNING, WRAPPED_SURE);
	finding_claim(out, f,
		      "%s has %" PRIu64 " of %" PRIu64
		      " values above %.0f years: negative times in "
		      "an unsigned number",
		      spread_words_of(in, out, s->series), n, s->series->count, low / NS_PER_YEAR);
	f->impact = 100;
	finding_figure(f, "impossible values", (double)n, 0, "");
	finding_figure(f, "values", (double)s->series->count, 0, "");
	finding_evidence(out, f, in, line, "%s", spread_words_of(in, out, s->series));
	finding_cause(out, f,
		      "The end was taken before the begin, or on a CPU whose clock is behind: the "
		      "difference is below zero and wraps around");
	finding_because(out, f, "no event lasts years; all other values lie far below");
	finding_next(out, f,
		     "in the tool: drop the sample if the end is before the begin (if (delta < 0) "
		     "return 0), and read the histogram without this bucket");
}

static void wrapped_check(const struct rule_input *in, struct findings *out)
{
	size_t n = 0, judged = 0;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (!spread_is_time(in->capture, s->series))
			continue;
		judged++;
		if (!spread_is_wrapped(s))
			continue;
		n++;
		if (n == 1)
			wrapped_finding(in, out, s);
	}
	if (judged == 0)
		finding_not_assessed(out, in, &rule_wrapped_durations,
				     "funclatency, biolatency, or hist(nsecs) of bpftrace",
				     "no distribution of times");
	else if (n == 0)
		finding_clean(out, in, &rule_wrapped_durations, "no value is of years");
}

const struct rule rule_wrapped_durations = {
	.id = "wrapped-durations",
	.title = "Negative durations wrapped around",
	.needs = RULE_DISTRIBUTION,
	.check = wrapped_check,
	.is_measured = true,
};
