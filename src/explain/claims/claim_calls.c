/* SPDX-License-Identifier: MIT */
/*
 * claim_calls.c - claims about traces of calls, distributions and waits
 *
 * Counts, sums and extremes are facts of the recording; if events were lost, they are lower bounds.
 * A percentile is a property of the program. The limits of its interval are the values at two ranks
 * of the sorted durations. The ranks follow from the binomial distribution (claim_ranks()), so no
 * assumption about the durations is needed.
 */
#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "analyses/distributions/spread.h"
#include "analyses/tracer/tracer_cost.h"
#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>
#include <stdio.h>

/*
 * Durations in ns of the calls that match a claim. The tracing overhead is not exactly known, so
 * each duration has a lower and an upper bound. The arrays of lower and of upper bounds are sorted
 * separately, so equal indices are not of the same call.
 */
struct claim_durations {
	VEC(double) low, high;
	uint64_t calls; /* number of calls, including those without a duration */
	uint32_t longest;
	double total;
};

static int claim_compare_doubles(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * Subtract the tracing overhead from @ns, the duration of one call. The overhead is known within
 * bounds, so the result is, too: @ret_low and @ret_high. @below: number of calls inside this call.
 */
static void claim_net(const struct tracer_cost *cost, uint64_t below, double ns, double *ret_low,
		      double *ret_high)
{
	*ret_low = fmax(0, ns - cost->leaf.high_ns - (double)below * cost->nested.high_ns);
	*ret_high = fmax(0, ns - cost->leaf.low_ns - (double)below * cost->nested.low_ns);
	if (cost->cut_depth)
		*ret_low = 0;
}

static void claim_durations_of(const struct capture *capture, const struct claim *c,
			       const struct tracer_cost *cost, const struct claim_names *names,
			       struct claim_durations *d)
{
	const struct calls *calls = capture->calls;
	CLEANUP(freep) uint32_t *sizes = cost ? calls_sizes(calls) : NULL;
	double longest = -1;

	for (uint32_t i = 0; i < calls->n; i++) {
		double ns, low, high;

		if (c->target != CLAIM_OF_ALL && !names->by_sym[calls->sym.data[i].v])
			continue;
		d->calls++;
		if (!calls_is_timed(calls, i))
			continue;
		low = high = ns = (double)calls_duration(calls, i);
		if (cost)
			claim_net(cost, sizes[i] - 1, ns, &low, &high);
		*VEC_PUSH(&d->low) = low;
		*VEC_PUSH(&d->high) = high;
		d->total += ns;
		if (ns > longest) {
			longest = ns;
			d->longest = i;
		}
	}
	VEC_SORT(&d->low, claim_compare_doubles);
	VEC_SORT(&d->high, claim_compare_doubles);
}

static void claim_quantile_of(const struct claim_state *s, const struct claim *c,
			      const struct claim_durations *d, struct claim_result *r)
{
	uint64_t n = d->low.len;
	uint64_t low, high, at;

	claim_ranks(c->quantile, n, s->options->is_recorded_only ? 1 : s->alpha, &low, &high);
	at = (uint64_t)ceil(c->quantile * (double)n);
	at = at ? at - 1 : 0;
	r->is_sampled = !s->options->is_recorded_only;
	r->value = (d->low.data[at] + d->high.data[at]) / 2;
	r->low = low ? d->low.data[low - 1] : 0;
	r->high = high <= n ? d->high.data[high - 1] : INFINITY;
}

/*
 * Set @r to the part of the calls that is beyond the limit. Lower and upper bounds of durations are
 * counted separately, because equal indices are not of the same call.
 */
static void claim_part_of_calls(const struct claim_state *s, const struct claim *c,
				const struct claim_durations *d, struct claim_result *r)
{
	struct claim_part low = { .n = 0 }, high = { .n = 0 };

	VEC_FOREACH (ns, &d->low)
		claim_part_add(c, &(struct claim_bounds){ .low = *ns, .high = *ns }, 1, &low);
	VEC_FOREACH (ns, &d->high)
		claim_part_add(c, &(struct claim_bounds){ .low = *ns, .high = *ns }, 1, &high);
	low.perhaps = fmax(low.surely, high.surely);
	low.surely = fmin(low.surely, high.surely);
	claim_part_figure(s, &low, true, "calls",
			  "assay calls --calibrate, which measures what the tracer costs", r);
}

static double claim_sum_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* Set @r to the mean, shortest or longest duration of the recorded calls. */
static void claim_extreme_of(const struct claim *c, const struct claim_durations *d,
			     struct claim_result *r)
{
	size_t n = d->low.len;

	if (c->measure == CLAIM_MEAN) {
		r->low = claim_sum_of(d->low.data, n) / (double)n;
		r->high = claim_sum_of(d->high.data, n) / (double)n;
	} else if (c->measure == CLAIM_MAX) {
		r->low = d->low.data[n - 1];
		r->high = d->high.data[n - 1];
	} else {
		r->low = d->low.data[0];
		r->high = d->high.data[0];
	}
	r->value = (r->low + r->high) / 2;
}

static uint64_t claim_lost(const struct calls_summary *sum)
{
	return sum->lost_unknown ? UINT64_MAX : sum->lost_events;
}

#define CLAIM_LARGER_BUFFER "a larger buffer: trace-cmd record -b"

/* Set @r to the number of calls, their time, or their share of the trace. */
static void claim_sums_of(const struct capture *capture, const struct calls_summary *sum,
			  const struct claim *c, const struct claim_durations *d,
			  struct claim_result *r)
{
	struct str pattern = c->target == CLAIM_OF_ALL ? STR("*") : c->name;
	struct calls_total total = calls_total_of(capture, pattern, STR_NONE);
	uint64_t lost = claim_lost(sum);
	double all = (double)sum->root_total_ns;
	double ns = c->measure == CLAIM_SELF ? (double)total.self_ns : (double)total.total_ns;

	if (c->measure == CLAIM_CALLS || c->measure == CLAIM_SAMPLES) {
		r->unit = CLAIM_NUMBER;
		r->value = r->low = (double)d->calls;
		r->high = lost == UINT64_MAX ? INFINITY : r->value + (double)lost;
		return;
	}
	if (c->unit == CLAIM_NS) {
		r->value = r->low = ns;
		r->high = lost || d->calls > d->low.len ? INFINITY : ns;
		if (isinf(r->high)) {
			(void)snprintf(r->why, sizeof(r->why), "%s",
				       lost ? "events were lost" : "calls have no duration");
			(void)snprintf(r->decide, sizeof(r->decide), "%s",
				       lost ? CLAIM_LARGER_BUFFER : "a trace with durations");
		}
		return;
	}
	r->unit = CLAIM_PERCENT;
	if (!(all > 0)) {
		r->has_figure = false;
		claim_cannot(r, "no outermost call has a duration: shares of the time are unknown",
			     "a trace with durations");
		return;
	}
	r->value = r->low = r->high = 100 * ns / all;
	if (lost)
		claim_cannot(r, "events were lost: shares of the time are unknown",
			     CLAIM_LARGER_BUFFER);
}

static void claim_call_figure(const struct claim_state *s, uint32_t number, const struct claim *c,
			      const struct claim_durations *d, struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const struct calls_summary *sum = s->facts->calls[number];
	bool is_of_each = c->measure >= CLAIM_MEAN && c->measure <= CLAIM_PART;

	r->n = (double)(is_of_each ? d->low.len : d->calls);
	r->n_of = "calls";
	r->unit = CLAIM_NS;
	if (is_of_each && d->low.len == 0) {
		claim_cannot(r, "no call has a duration", "a trace with durations");
		return;
	}
	r->has_figure = true;
	if (d->low.len)
		claim_add_line(r, capture->calls->line.data[d->longest]);
	if (c->measure == CLAIM_QUANTILE)
		claim_quantile_of(s, c, d, r);
	else if (c->measure == CLAIM_PART)
		claim_part_of_calls(s, c, d, r);
	else if (is_of_each)
		claim_extreme_of(c, d, r);
	else
		claim_sums_of(capture, sum, c, d, r);
	if (is_of_each && (sum->lost_events || sum->lost_unknown || d->calls > d->low.len)) {
		claim_cannot(r, "calls are missing or have no duration",
			     "a trace without lost events");
	}
}

void claim_calls_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			 struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const struct tracer_cost *cost = &s->facts->traced[number]->cost;
	struct claim_durations d = { .low = VEC_INIT };
	struct claim_names names = { .by_sym = NULL };
	bool is_of_each = c->measure >= CLAIM_MEAN && c->measure <= CLAIM_PART;

	if (c->target > CLAIM_OF_FUNCTION || c->n_in || c->under.len) {
		claim_cannot(r, "of a trace only functions can be judged",
			     "a claim about a function, without 'in' and 'under'");
		return;
	}
	if (c->is_net_of_tracer && (cost->why_not || !is_of_each)) {
		claim_cannot(r,
			     cost->why_not ? cost->why_not
					   : "net of tracer is for mean, min, max and percentiles",
			     "assay calls --calibrate, which measures what the tracer costs");
		return;
	}
	if (is_of_each &&
	    (c->measure == CLAIM_PART ? c->beyond_unit != CLAIM_NS
				      : c->kind == CLAIM_FIGURE && c->unit != CLAIM_NS)) {
		claim_cannot(r, "durations of calls are times", "a claim with ns, us, ms or s");
		return;
	}
	if (c->target != CLAIM_OF_ALL)
		claim_names_match(capture, c->name, &names);
	if (c->target != CLAIM_OF_ALL && names.n == 0 && !c->may_be_absent) {
		claim_names_unknown(capture, c->name, r);
	} else {
		claim_durations_of(capture, c, c->is_net_of_tracer ? cost : NULL, &names, &d);
		claim_call_figure(s, number, c, &d, r);
	}
	VEC_FREE(&d.low);
	VEC_FREE(&d.high);
	claim_names_fini(&names);
}

/*
 * The series (histogram of one key) that matches the claim. NULL: no series or several match; @r
 * has the reason.
 */
static const struct spread *claim_series(struct claim_state *s, uint32_t number,
					 const struct claim *c, struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const struct spread *found = NULL;
	unsigned int n = 0;

	VEC_FOREACH (row, &s->facts->spreads[number]->rows) {
		struct str key = strings_get(capture_strings(capture), row->series->key);
		struct str name = strings_get(capture_strings(capture), row->series->name);

		if (c->target != CLAIM_OF_ALL && !str_glob(c->name, key) &&
		    !str_glob(c->name, name))
			continue;
		found = row;
		n++;
	}
	if (n == 0)
		claim_cannot(r, "no distribution has this name", "its name as printed");
	else if (n > 1)
		claim_cannot(r, "several distributions have this name", "the name of one");
	return n == 1 ? found : NULL;
}

/* Set @r to the number of values of a distribution, or to their mean or an extreme. */
static void claim_spread_sums(const struct spread *row, const struct claim *c, bool is_relative,
			      struct claim_result *r)
{
	double n = (double)row->series->count;

	if (c->measure == CLAIM_MAX || c->measure == CLAIM_MIN) {
		struct spread_bounds b =
			c->measure == CLAIM_MAX ? row->max : spread_quantile(row, 0);

		r->low = b.low;
		r->high = b.high;
	} else if (c->measure == CLAIM_SAMPLES) {
		r->low = r->high = n;
		if (is_relative)
			claim_cannot(r, "the number of values is unknown", "a histogram of counts");
	} else {
		bool is_stated = row->series->stated_sum > 0;

		r->low = (is_stated ? row->series->stated_sum : row->sum.low) / n;
		r->high = (is_stated ? row->series->stated_sum : row->sum.high) / n;
		if (row->series->is_percentiles)
			r->high = INFINITY;
	}
}

static void claim_spread_part(const struct claim_state *s, const struct spread *row,
			      const struct claim *c, struct claim_result *r)
{
	const struct distribution_series *series = row->series;
	bool is_relative = series->is_relative || series->is_percentiles;
	struct claim_part part = { .n = 0 };
	struct claim_bounds b = { .low = 0, .is_open = !series->is_percentiles };

	if ((c->beyond_unit == CLAIM_NS) != (r->unit == CLAIM_NS)) {
		r->has_figure = false;
		claim_cannot(
			r, r->unit == CLAIM_NS ? "the values are times" : "the values are no times",
			r->unit == CLAIM_NS ? "share(NAME > 10ms)" : "share(NAME > 10)");
		return;
	}
	for (uint32_t i = 0; i < series->n_buckets; i++) {
		b.low = row->buckets[i].low;
		b.high = row->buckets[i].high;
		claim_part_add(c, &b, (double)row->buckets[i].count, &part);
	}
	/* values after the last printed percentile */
	if (series->is_relative && part.n < 1e6) {
		b.low = b.high;
		b.high = INFINITY;
		claim_part_add(c, &b, 1e6 - part.n, &part);
	}
	claim_part_figure(s, &part, !is_relative, "values",
			  "a limit at the edge of a bucket, or values with finer buckets", r);
	if (!is_relative)
		return;
	r->n = NAN;
	if (!s->options->is_recorded_only)
		claim_cannot(r, "the number of values is unknown",
			     "--recorded, which judges the printed figures");
}

void claim_spread_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			  struct claim_result *r)
{
	const struct spread *row;
	uint64_t low, high, n;
	bool is_chance = !s->options->is_recorded_only;
	bool is_relative;

	row = claim_series(s, number, c, r);
	if (!row)
		return;
	n = row->series->count;
	is_relative = row->series->is_relative || row->series->is_percentiles;
	r->has_figure = true;
	r->unit = spread_is_time(s->facts->dossier->captures.data[number], row->series)
			  ? CLAIM_NS
			  : CLAIM_NUMBER;
	r->n = is_relative ? (double)NAN : (double)n;
	r->n_of = is_relative ? NULL : "values";
	claim_add_line(r, row->series->line);
	if (c->measure == CLAIM_PART) {
		claim_spread_part(s, row, c, r);
		return;
	}
	if (c->measure != CLAIM_QUANTILE) {
		claim_spread_sums(row, c, is_relative, r);
	} else {
		if (is_relative && is_chance)
			claim_cannot(r, "the number of values is unknown",
				     "--recorded, which judges the printed figures");
		claim_ranks(c->quantile, n, is_chance && !is_relative ? s->alpha : 1, &low, &high);
		r->is_sampled = is_chance;
		r->low = spread_quantile(row, low ? (double)low / (double)n : 0).low;
		r->high = high > n ? INFINITY : spread_quantile(row, (double)high / (double)n).high;
	}
	r->value = isinf(r->high) ? r->low : (r->low + r->high) / 2;
	if (c->measure == CLAIM_SAMPLES)
		r->unit = CLAIM_NUMBER;
	if (c->kind != CLAIM_FIGURE)
		return;
	if (c->unit != CLAIM_NUMBER && r->unit != CLAIM_NS)
		claim_cannot(r, "the values are no times", "a claim without a unit");
	if (c->unit != CLAIM_NS && r->unit == CLAIM_NS)
		claim_cannot(r, "the values are times", "a claim with ns, us, ms or s");
}

void claim_wait_measure(struct claim_state *s, uint32_t number, const struct claim *c,
			struct claim_result *r)
{
	const struct waits *w = s->facts->waits[number];
	enum wait_kind kind = WAIT_OTHER;
	double ns = 0;
	double n = 0;

	if (c->n_in || c->under.len) {
		claim_cannot(r, "waits are judged for all threads together",
			     "a claim without 'in' and 'under'");
		return;
	}
	if (c->target != CLAIM_OF_ALL && !wait_kind_of_reason(c->name, &kind)) {
		claim_cannot(r, "no wait has this name",
			     "cpu, lock, disk, memory, sleep, child, condition, futex or event");
		return;
	}
	for (unsigned int i = 0; i < WAIT_KINDS; i++) {
		if (c->target != CLAIM_OF_ALL && i != kind)
			continue;
		ns += (double)w->kinds[i].ns;
		n += (double)w->kinds[i].n;
	}
	r->has_figure = true;
	r->n = n;
	r->n_of = "waits";
	r->unit = c->unit;
	r->value = ns;
	if (c->unit == CLAIM_PERCENT) {
		r->value = w->span_ns ? 100 * ns / (double)w->span_ns : NAN;
		(void)snprintf(r->of, sizeof(r->of), "wall time");
	}
	r->low = r->high = r->value;
	/* a wait of unknown kind may be of the claimed kind */
	if (c->target != CLAIM_OF_ALL && w->span_ns) {
		double unseen = (double)(w->kinds[WAIT_UNKNOWN].ns + w->kinds[WAIT_OTHER].ns);

		if (kind == WAIT_LOCK || kind == WAIT_CONDITION)
			unseen += (double)w->kinds[WAIT_FUTEX].ns;
		r->high += c->unit == CLAIM_PERCENT ? 100 * unseen / (double)w->span_ns : unseen;
	}
	if (c->unit == CLAIM_PERCENT && !w->span_ns)
		claim_cannot(r, "the length of the recording is unknown", "a claim in ms");
}
