/* SPDX-License-Identifier: MIT */
/*
 * The whole heap was collected on request: System.gc(), a heap dump, a class histogram, a
 * diagnostic command. Such a pause does not mean that memory is short.
 *
 * Thresholds: a pause of 0.1 s is a note, because users notice it. A pause of 1 s is a warning,
 * because it exceeds some timeouts.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/gc_words.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(gc_requested);

#define REQUESTED_NOTE 1e8 /* minimum duration of the pause for a note, nanoseconds */
#define REQUESTED_LEAD 1e9
#define REQUESTED_SURE 90u

static struct str requested_text(const struct rule_input *in, str_id id)
{
	return strings_get(capture_strings(in->capture), id);
}

static double requested_longest(const struct rule_input *in, const struct distribution_series *s)
{
	const struct distribution *d = in->capture->distribution;
	double longest = 0;

	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];

		if (!isinf(b->high))
			longest = fmax(longest, (b->low + b->high) / 2);
	}
	return longest;
}

static void requested_finding(const struct rule_input *in, struct findings *out,
			      const struct distribution_series *s, double longest)
{
	struct str key = requested_text(in, s->key);
	const struct gc_asker *asker = gc_words_asker(key);
	struct finding *f = finding_add(out, in, &rule_gc_requested,
					longest >= REQUESTED_LEAD ? FINDING_WARNING : FINDING_NOTE,
					REQUESTED_SURE);

	finding_claim(out, f,
		      s->count == 1
			      ? "A requested collection stops the program for %s s: '" STR_FMT "'"
			      : "Requested collections stop the program for up to %s s: '" STR_FMT
				"', %" PRIu64 " times",
		      finding_amount(out, 3, longest / 1e9), STR_ARG(key), s->count);
	finding_figure(f, "longest pause", longest / 1e9, 0, "s");
	finding_figure(f, "pauses", (double)s->count, 0, "");
	finding_evidence(out, f, in, s->line, "a collection of the whole heap, with its cause");
	finding_cause(out, f, "%s", asker->cause);
	finding_because(out, f, "the log prints the cause of each full collection");
	finding_next(out, f, "%s", asker->next);
}

static void requested_check(const struct rule_input *in, struct findings *out)
{
	const struct distribution_series *worst = NULL;
	double longest = 0;
	bool has_pause = false, has_bare = false;

	VEC_FOREACH (s, &in->capture->distribution->series) {
		struct str key = requested_text(in, s->key);

		if (!str_eq(requested_text(in, s->name), STR("pause")))
			continue;
		has_pause = true;
		has_bare |= str_glob(STR("Full|Full GC"), key);
		if (gc_words_asker(key) && requested_longest(in, s) > longest) {
			worst = s;
			longest = requested_longest(in, s);
		}
	}
	if (worst && longest >= REQUESTED_NOTE)
		requested_finding(in, out, worst, longest);
	else if (has_bare)
		finding_not_assessed(out, in, &rule_gc_requested, "-XX:+PrintGCCause",
				     "full collections are printed without their cause");
	else if (has_pause)
		finding_clean(out, in, &rule_gc_requested,
			      "no requested collection of 0.1 s or more");
}

const struct rule rule_gc_requested = {
	.id = "gc-requested",
	.title = "A requested full collection stops the program",
	.needs = RULE_DISTRIBUTION,
	.check = requested_check,
	.is_measured = true,
};
