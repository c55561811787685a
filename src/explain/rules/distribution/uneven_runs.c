/* SPDX-License-Identifier: MIT */
/*
 * time(1) measured one command several times, and the elapsed times are far apart, although the
 * command is the same each time.
 *
 * Thresholds: five runs, the longest at least 100 ms (shorter ones are noise of the scheduler). A
 * factor of 5 between the shortest and the longest is a note. A factor of 20 is a warning if the
 * median is 3 times the shortest: then not only one run was slow. If only the first run is slow,
 * caches were cold, so there is no finding: the order of the runs is in the lines. If two or more
 * runs, but at most a quarter, are long, something that comes round from time to time is likely.
 */
#include "analyses/distributions/spread.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(uneven_runs);

#define UNEVEN_RUNS   5u
#define UNEVEN_NS     100e6
#define UNEVEN_NOTE   5.0
#define UNEVEN_LEAD   20.0
#define UNEVEN_MEDIAN 3.0
#define UNEVEN_SURE   75u
/* most runs are short; two or more, but at most this part, take UNEVEN_NOTE times the median */
#define UNEVEN_RARE  0.25
#define UNEVEN_CITED 4u

static const struct distribution_bucket *
uneven_bucket(const struct distribution *d, const struct distribution_series *s, uint32_t i)
{
	return &d->buckets.data[s->first_bucket + i];
}

static double uneven_middle(const struct distribution_bucket *b)
{
	return (b->low + b->high) / 2;
}

/* Whether the runs after the first one are alike: the first one filled the caches. */
static bool uneven_is_cold(const struct distribution *d, const struct distribution_series *s,
			   double shortest)
{
	const struct distribution_bucket *last = uneven_bucket(d, s, s->n_buckets - 1);
	double second = s->n_buckets > 1 ? uneven_middle(uneven_bucket(d, s, s->n_buckets - 2)) : 0;

	for (uint32_t i = 0; i + 1 < s->n_buckets; i++) {
		if (uneven_bucket(d, s, i)->line < last->line)
			return false;
	}
	return last->count == 1 && second < UNEVEN_NOTE * shortest;
}

/*
 * Why the runs of @key may do different work; NULL: they are runs of one command, without variables
 * and substitutions.
 */
static const char *uneven_unknown(struct str key)
{
	if (str_eq(key, STR("the command")))
		return "the text does not show that all times are of the same command";
	return str_find_char(key, '$') < key.len || str_find_char(key, '`') < key.len
		       ? "the command has a variable, so its runs may do different work"
		       : NULL;
}

/* The number of runs that take at least UNEVEN_NOTE times the @median. */
static uint64_t uneven_long(const struct distribution *d, const struct distribution_series *s,
			    double median)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = uneven_bucket(d, s, i);

		n += uneven_middle(b) >= UNEVEN_NOTE * median ? b->count : 0;
	}
	return n;
}

/* The cause if only a few runs are long: cite some of them. */
static void uneven_rare(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct distribution_series *s)
{
	const struct distribution *d = in->capture->distribution;

	for (uint32_t i = 1; i < s->n_buckets && i < UNEVEN_CITED; i++) {
		const struct distribution_bucket *b = uneven_bucket(d, s, s->n_buckets - 1 - i);

		if (uneven_middle(b) * UNEVEN_NOTE <
		    uneven_middle(uneven_bucket(d, s, s->n_buckets - 1)))
			break;
		finding_evidence(out, f, in, b->line, "a long run");
	}
	finding_usual_cause(out, f,
			    "Something is due from time to time, and a run meets it. Cached data "
			    "expires and is fetched again (a cache, a lease, attributes of files "
			    "on a server), a flush or a cleanup runs, or other work interferes. "
			    "Equal distances between the long runs show a time limit");
}

static void uneven_finding(const struct rule_input *in, struct findings *out,
			   const struct distribution_series *s, const struct spread *spread)
{
	const struct distribution *d = in->capture->distribution;
	const struct distribution_bucket *first = uneven_bucket(d, s, 0);
	const struct distribution_bucket *last = uneven_bucket(d, s, s->n_buckets - 1);
	double low = uneven_middle(first), high = uneven_middle(last);
	double median = (spread->p50.low + spread->p50.high) / 2;
	bool is_lead = high >= UNEVEN_LEAD * low && median >= UNEVEN_MEDIAN * low;
	uint64_t n_long = uneven_long(d, s, median);
	bool is_rare = median < UNEVEN_MEDIAN * low && n_long > 1 &&
		       (double)n_long <= UNEVEN_RARE * (double)s->count;
	struct finding *f = finding_add(out, in, &rule_uneven_runs,
					is_lead ? FINDING_WARNING : FINDING_NOTE, UNEVEN_SURE);

	finding_claim(out, f,
		      "%" PRIu64 " runs of '" STR_FMT "' take from %s to %s, the longest %.0f "
		      "times the shortest; the median is %s%s",
		      s->count, STR_ARG(strings_get(capture_strings(in->capture), s->key)),
		      finding_duration(out, (uint64_t)low), finding_duration(out, (uint64_t)high),
		      high / low, finding_duration(out, (uint64_t)median),
		      is_rare ? finding_name(out,
					     ", and only %" PRIu64 " take %.0f times that or more",
					     n_long, UNEVEN_NOTE)
			      : "");
	finding_figure(f, "runs", (double)s->count, 0, "");
	finding_figure(f, "longest", high / 1e9, 0, "s");
	finding_figure(f, "shortest", low / 1e9, 0, "s");
	finding_figure(f, "median", median / 1e9, 0, "s");
	finding_evidence(out, f, in, last->line, "the longest run");
	finding_evidence(out, f, in, first->line, "the shortest run");
	if (is_rare)
		uneven_rare(in, out, f, s);
	else
		finding_usual_cause(out, f,
				    "The long runs wait for a lock, a queue or a device that other "
				    "work keeps busy, or they find more data to work on");
	finding_because(out, f, "the times are measured\nwhere the command waits");
	finding_next(out, f,
		     "strace -f -T on a long run, or cat /proc/PID/stack while it hangs: "
		     "which call waits");
	finding_next(out, f, "repeat the loop without other load: are all runs short");
}

static void uneven_runs_check(const struct rule_input *in, struct findings *out)
{
	const struct distribution *d = in->capture->distribution;
	size_t judged = 0;

	VEC_FOREACH (spread, &in->spreads->rows) {
		const struct distribution_series *s = spread->series;
		struct str key = strings_get(capture_strings(in->capture), s->key);
		const char *unknown;
		double low, high;

		if (!str_eq(strings_get(capture_strings(in->capture), s->name),
			    STR("elapsed time")) ||
		    s->count < UNEVEN_RUNS)
			continue;
		unknown = uneven_unknown(key);
		if (unknown) {
			finding_not_assessed(out, in, &rule_uneven_runs,
					     "a loop that repeats the same command", "%s", unknown);
			return;
		}
		low = uneven_middle(uneven_bucket(d, s, 0));
		high = uneven_middle(uneven_bucket(d, s, s->n_buckets - 1));
		judged++;
		if (s->n_buckets < 2 || high < UNEVEN_NS || high < UNEVEN_NOTE * low ||
		    uneven_is_cold(d, s, low))
			continue;
		uneven_finding(in, out, s, spread);
		return;
	}
	if (judged)
		finding_clean(out, in, &rule_uneven_runs, "the runs of the command are alike");
}

const struct rule rule_uneven_runs = {
	.id = "uneven-runs",
	.title = "Runs of one command differ widely",
	.needs = RULE_DISTRIBUTION,
	.is_measured = true,
	.check = uneven_runs_check,
};
