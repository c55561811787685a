/* SPDX-License-Identifier: MIT */
/*
 * A JVM stops all threads at a safepoint. If one thread is late, the others must wait until it has
 * stopped, too. The log prints this time for each safepoint, but not which thread is late.
 *
 * Thresholds: usually all threads stop within microseconds. 100 ms, as long as a bad collection, is
 * a note; 1 s, which exceeds some timeouts, is a warning. Source:
 * src/hotspot/share/runtime/safepoint.cpp, SafepointSynchronize::begin().
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
#include <math.h>

DECLARE_RULE(safepoint_wait);

#define SAFEPOINT_NOTE 1e8 /* for a note: minimum time until all threads have stopped, ns */
#define SAFEPOINT_LEAD 1e9
#define SAFEPOINT_SURE 85u

struct safepoint {
	/* number of safepoints; number of those that took SAFEPOINT_NOTE or longer */
	uint64_t n, late;
	double lost; /* sum of the times of late safepoints, nanoseconds */
	const struct distribution_bucket *longest;
};

static void safepoint_add(const struct distribution *d, const struct distribution_series *s,
			  struct safepoint *p)
{
	p->n += s->count;
	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];
		double ns = (b->low + b->high) / 2;

		if (isinf(b->high) || ns < SAFEPOINT_NOTE)
			continue;
		p->late += b->count;
		p->lost += ns * (double)b->count;
		if (!p->longest || b->low > p->longest->low)
			p->longest = b;
	}
}

static void safepoint_finding(const struct rule_input *in, struct findings *out,
			      const struct safepoint *p)
{
	double longest = (p->longest->low + p->longest->high) / 2;
	struct finding *f = finding_add(out, in, &rule_safepoint_wait,
					longest >= SAFEPOINT_LEAD ? FINDING_WARNING : FINDING_NOTE,
					SAFEPOINT_SURE);

	finding_claim(out, f,
		      "Threads stood still until the last one had stopped, at %" PRIu64
		      " of %" PRIu64 " safepoints, up to %s",
		      p->late, p->n, finding_duration(out, number_whole(longest + 0.5)));
	finding_figure(f, "late safepoints", (double)p->late, 0, "");
	finding_figure(f, "time to reach them", p->lost / 1e9, 0, "s");
	finding_evidence(out, f, in, p->longest->line, "the longest");
	finding_usual_cause(
		out, f,
		"A thread reached the safepoint late: a long loop without a safepoint poll, a "
		"large array copy, a page fault on a mapped file, or no CPU for it. A pause of the "
		"whole machine looks the same");
	finding_because(out, f, "the JVM prints the time to reach each safepoint");
	finding_next(out, f,
		     "-XX:+SafepointTimeout -XX:SafepointTimeoutDelay=100: the log names the late "
		     "thread");
	finding_next(out, f,
		     "-XX:+UseCountedLoopSafepoints (JDK 8), or a smaller loop; vmstat: swapping, "
		     "steal");
}

static void safepoint_check(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);
	struct safepoint p = { .n = 0 };

	VEC_FOREACH (s, &in->capture->distribution->series) {
		if (str_eq(strings_get(strings, s->name), STR("time to safepoint")))
			safepoint_add(in->capture->distribution, s, &p);
	}
	if (p.late)
		safepoint_finding(in, out, &p);
	else if (p.n)
		finding_clean(out, in, &rule_safepoint_wait,
			      "each of %" PRIu64 " safepoints was reached within 0.1 s", p.n);
}

const struct rule rule_safepoint_wait = {
	.id = "safepoint-wait",
	.title = "A thread reaches safepoints late",
	.needs = RULE_DISTRIBUTION,
	.check = safepoint_check,
	.is_measured = true,
};
