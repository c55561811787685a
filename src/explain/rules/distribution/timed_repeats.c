/* SPDX-License-Identifier: MIT */
/*
 * A program prints the durations of its steps. One step occurs again and again, and takes most of
 * the time.
 *
 * Thresholds: the step occurs five times, with half of all printed time.
 */
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(timed_repeats);

#define REPEATS_LEAST 5u
#define REPEATS_PART  0.5
#define REPEATS_SURE  90u

static double repeats_sum(const struct distribution *d, const struct distribution_series *s)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];

		sum += (b->low + b->high) / 2 * (double)b->count;
	}
	return sum;
}

static void repeats_check(const struct rule_input *in, struct findings *out)
{
	const struct distribution *d = in->capture->distribution;
	const struct strings *strings = capture_strings(in->capture);
	const struct distribution_series *most = NULL;
	double all = 0, best = 0;
	struct finding *f;
	struct str key;

	VEC_FOREACH (s, &d->series) {
		double sum = repeats_sum(d, s);

		if (!str_eq(strings_get(strings, s->name), STR("time")))
			return;
		all += sum;
		if (s->count >= REPEATS_LEAST && sum > best) {
			best = sum;
			most = s;
		}
	}
	if (!most || best < REPEATS_PART * all) {
		finding_clean(out, in, &rule_timed_repeats,
			      "no step comes five times with half of the time");
		return;
	}
	key = str_sub(strings_get(strings, most->key), 0, 100);
	f = finding_add(out, in, &rule_timed_repeats, FINDING_NOTE, REPEATS_SURE);
	finding_claim(out, f,
		      STR_FMT " is called %" PRIu64 " times: %s together, %s each on average",
		      STR_ARG(key), most->count, finding_duration(out, number_whole(best)),
		      finding_duration(out, number_whole(best / (double)most->count)));
	f->impact = 100 * best / all;
	finding_figure(f, "calls", (double)most->count, 0, "");
	finding_figure(f, "of the time that is printed", f->impact, 0, "%");
	finding_evidence(out, f, in, most->line, "one of these lines");
	finding_usual_cause(
		out, f,
		"The result of a call could be kept and used again, or each call is needed");
	finding_because(out, f, "the lines are counted, and their times added up");
	finding_next(out, f,
		     "do the calls have the same input? If so, call it once; who calls it: "
		     "perf record -g, or a breakpoint with a backtrace");
}

const struct rule rule_timed_repeats = {
	.id = "timed-repeats",
	.title = "One timed step comes again and again",
	.needs = RULE_DISTRIBUTION,
	.check = repeats_check,
	.is_measured = true,
};
