/* SPDX-License-Identifier: MIT */
/* claim_judge.c - find the capture and the figure of a claim, and decide the outcome */
#include "explain/claims/claim_judge.h"

#include "analyses/compare/compare.h"
#include "analyses/compare/stats_compare.h"
#include "analyses/distributions/spread.h"
#include "analyses/event_unit.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/claims/claim_build.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <math.h>
#include <stdio.h>

/* Recommend a longer recording only if it is longer by at most this factor. */
#define CLAIM_LONGER_MAX 1000.0
/* A figure is equal to a limit if it differs by at most this part of the limit. */
#define CLAIM_ROUNDING 1e-12
/* maximum number of captures that the reason "several captures" lists */
#define CLAIM_NAMED_MAX 6u

const char *claim_outcome_name(enum claim_outcome outcome)
{
	return outcome == CLAIM_TRUE ? "true" : outcome == CLAIM_FALSE ? "false" : "cannot tell";
}

void claim_cannot(struct claim_result *r, const char *why, const char *decide)
{
	r->outcome = CLAIM_CANNOT_TELL;
	r->is_final = true;
	(void)snprintf(r->why, sizeof(r->why), "%s", why);
	(void)snprintf(r->decide, sizeof(r->decide), "%s", decide);
}

void claim_add_line(struct claim_result *r, uint32_t line)
{
	if (line && r->n_lines < CLAIM_LINES_MAX)
		r->lines[r->n_lines++] = line;
}

/* P(X <= @k) of a binomial distribution with @n trials of probability @p. */
static double claim_binomial(double k, double n, double p)
{
	return k < 0 ? 0 : k >= n ? 1 : stats_beta(n - k, k + 1, 1 - p);
}

void claim_ranks(double quantile, uint64_t n, double alpha, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t at = (uint64_t)ceil(quantile * (double)n);
	uint64_t low = 0, high = n + 1;

	at = at ? at : 1;
	*ret_low = *ret_high = at;
	if (alpha >= 1)
		return;
	/*
	 * X: number of values below the quantile. *ret_low: the largest rank for which P(X < rank)
	 * <= alpha / 2
	 */
	for (uint64_t step = at; step > 0; step /= 2) {
		while (low + step <= at &&
		       claim_binomial((double)(low + step) - 1, (double)n, quantile) <= alpha / 2)
			low += step;
	}
	/* *ret_high: the smallest rank for which P(X < rank) >= 1 - alpha / 2 */
	for (uint64_t step = n + 1 - at; step > 0; step /= 2) {
		while (high >= at + step && claim_binomial((double)(high - step) - 1, (double)n,
							   quantile) >= 1 - alpha / 2)
			high -= step;
	}
	*ret_low = low;
	*ret_high = high;
}

static struct str claim_event(const struct capture *c)
{
	return c->profile ? strings_get(capture_strings(c), c->profile->event) : STR_NONE;
}

static bool claim_is_event(const struct capture *c, struct str wanted)
{
	struct str event = claim_event(c);

	return str_eq(event, wanted) || str_eq(compare_event(event), compare_event(wanted)) ||
	       str_glob(wanted, event);
}

static bool claim_is_whole(struct str of)
{
	return !of.len || str_eq(of, STR("wall")) || str_eq(of, STR("total")) ||
	       str_eq(of, STR("time"));
}

static bool claim_is_samples(const struct claim_state *s, uint32_t i)
{
	const struct capture *c = s->facts->dossier->captures.data[i];

	return c->profile && !(c->kinds & (KIND_THREADS | KIND_CODE)) && !c->calls;
}

/*
 * Whether the claim compares with capture @i. Such captures are in the file c->base or, if c->base
 * is empty, in any base file.
 */
static bool claim_is_base(const struct claim_state *s, uint32_t i, const struct claim *c)
{
	const struct capture *capture = s->facts->dossier->captures.data[i];

	return s->options->is_base && s->options->is_base[i] &&
	       (!c->base.len ||
		str_eq(strings_get(capture_strings(capture), capture->path), c->base));
}

/* Whether the claim, if capture @i answers it, is about a counter. */
static bool claim_is_counted(const struct claim_state *s, uint32_t i, const struct claim *c)
{
	bool has_spreads = s->facts->spreads[i] && s->facts->spreads[i]->rows.len;

	return s->facts->dossier->captures.data[i]->counters && c->measure >= CLAIM_MEAN &&
	       c->measure <= CLAIM_VALUE && (c->measure == CLAIM_VALUE || !has_spreads);
}

/*
 * Whether capture @i can answer the claim. If @is_base is set, @i must be a base capture; otherwise
 * @i must not be a base capture.
 */
static bool claim_fits(const struct claim_state *s, uint32_t i, const struct claim *c, bool is_base)
{
	const struct facts *f = s->facts;
	const struct capture *capture = f->dossier->captures.data[i];
	bool has_calls = f->calls[i] && f->traced[i] && capture->calls;

	if (capture->excerpt_of != INDEX_NONE || claim_is_base(s, i, c) != is_base ||
	    (!is_base && s->options->capture != INDEX_NONE && s->options->capture != i))
		return false;
	if (claim_is_counted(s, i, c))
		return claim_counters_have(s, i, c);
	if (c->measure == CLAIM_VALUE ||
	    (s->options->event.len && !claim_is_event(capture, s->options->event)) ||
	    (!claim_is_whole(c->of) && !claim_is_event(capture, c->of)))
		return false;
	if (c->measure == CLAIM_WAIT)
		return f->waits[i];
	if (f->syscalls[i])
		return claim_syscalls_have(c);
	if (c->measure == CLAIM_CALLS)
		return has_calls;
	if (c->measure == CLAIM_SAMPLES && f->spreads[i] && f->spreads[i]->rows.len)
		return true;
	if (c->measure >= CLAIM_MEAN && c->measure <= CLAIM_PART)
		return has_calls || (f->spreads[i] && f->spreads[i]->rows.len);
	/* only claims about waits may use a profile of waits, because it has no CPU time */
	if (f->waits[i] && claim_is_whole(c->of) && s->options->capture == INDEX_NONE)
		return false;
	return has_calls || claim_is_samples(s, i);
}

static bool claim_counts_time(const struct claim_state *s, uint32_t i)
{
	const struct capture *c = s->facts->dossier->captures.data[i];

	return c->profile && event_unit_of(c).kind == EVENT_TIME;
}

static void claim_no_capture(const struct claim_state *s, const struct claim *c,
			     struct claim_result *r)
{
	static const char *const needs[CLAIM_MEASURE_COUNT] = {
		[CLAIM_CALLS] = "a trace of calls: assay record --graph, strace -c",
		[CLAIM_MEAN] = "a trace of calls, or a histogram",
		[CLAIM_MIN] = "a trace of calls, or a histogram",
		[CLAIM_MAX] = "a trace of calls, or a histogram",
		[CLAIM_QUANTILE] = "a trace of calls, or a histogram",
		[CLAIM_PART] = "a trace of calls, a histogram, or counters of several intervals",
		[CLAIM_VALUE] = "counters: perf stat, vmstat, iostat",
		[CLAIM_WAIT] = "a recording of switches: assay record --off-cpu",
	};
	char why[CLAIM_TEXT_BYTES];

	(void)snprintf(why, sizeof(why), "no capture%s" STR_FMT "%s has such a figure",
		       claim_is_whole(c->of) ? "" : " of '",
		       STR_ARG(claim_is_whole(c->of) ? STR_NONE : str_sub(c->of, 0, 80)),
		       claim_is_whole(c->of) ? "" : "'");
	for (uint32_t i = 0; i < s->facts->dossier->captures.len; i++) {
		if (claim_is_counted(s, i, c) && c->name.len) {
			claim_counters_unknown(s, c, r);
			return;
		}
	}
	claim_cannot(r, why,
		     needs[c->measure] ? needs[c->measure]
				       : "a profile: perf record -g, or a trace");
}

/* Several captures can answer the claim: set @r to a reason that lists them. */
static void claim_which(const struct claim_state *s, const struct claim *c, bool is_base,
			bool is_time_only, struct claim_result *r)
{
	struct out why = { .fd = -1 };
	unsigned int n = 0;

	out_z(&why, "several captures have such a figure:");
	for (uint32_t i = 0; i < s->facts->dossier->captures.len; i++) {
		const struct capture *capture = s->facts->dossier->captures.data[i];
		struct str event = claim_event(capture);

		if (!claim_fits(s, i, c, is_base) || (is_time_only && !claim_counts_time(s, i)) ||
		    n++ >= CLAIM_NAMED_MAX)
			continue;
		out_printf(&why, "%s %u (" STR_FMT " of " STR_FMT ")", n > 1 ? "," : "", i + 1,
			   STR_ARG(event.len ? str_sub(event, 0, 24) : str_of(capture->format)),
			   STR_ARG(str_sub(strings_get(capture_strings(capture), capture->path), 0,
					   40)));
	}
	if (n > CLAIM_NAMED_MAX)
		out_printf(&why, " and %u more", n - CLAIM_NAMED_MAX);
	out_char(&why, '\0');
	claim_cannot(r, why.data, "--capture N, --event NAME, or 'of EVENT' in the claim");
	out_fini(&why);
}

uint32_t claim_judge_capture(const struct claim_state *s, const struct claim *c, bool is_base,
			     struct claim_result *r)
{
	/*
	 * found[0]: first capture that can answer; n[0]: number of such captures. found[1] and
	 * n[1]: the same for profiles of CPU time only
	 */
	uint32_t found[2] = { INDEX_NONE, INDEX_NONE };
	uint32_t n[2] = { 0, 0 };

	for (uint32_t i = 0; i < s->facts->dossier->captures.len; i++) {
		if (!claim_fits(s, i, c, is_base))
			continue;
		found[0] = n[0]++ ? found[0] : i;
		if (claim_counts_time(s, i))
			found[1] = n[1]++ ? found[1] : i;
	}
	if (n[0] == 1 || n[1] == 1)
		return n[0] == 1 ? found[0] : found[1];
	if (n[0] == 0)
		claim_no_capture(s, c, r);
	else
		claim_which(s, c, is_base, n[1] > 1, r);
	return INDEX_NONE;
}

static void claim_measure(struct claim_state *s, uint32_t i, const struct claim *c,
			  struct claim_result *r)
{
	const struct capture *capture = s->facts->dossier->captures.data[i];
	const struct profile *p = capture->profile;

	if (c->is_net_of_tracer && !capture->calls) {
		claim_cannot(r, "only a trace of calls has a tracer in its times",
			     "a claim without 'net of tracer'");
	} else if (c->measure == CLAIM_WAIT) {
		claim_wait_measure(s, i, c, r);
	} else if (s->facts->syscalls[i]) {
		claim_syscalls_measure(s, i, c, r);
	} else if (claim_is_counted(s, i, c)) {
		claim_counters_measure(s, i, c, r);
	} else if (s->facts->calls[i] && s->facts->traced[i] && capture->calls) {
		claim_calls_measure(s, i, c, r);
	} else if ((c->measure >= CLAIM_MEAN && c->measure <= CLAIM_PART) ||
		   (s->facts->spreads[i] && s->facts->spreads[i]->rows.len)) {
		claim_spread_measure(s, i, c, r);
	} else if (str_eq(c->of, STR("wall"))) {
		claim_cannot(r, "shares of samples are of CPU time, not of wall time",
			     "wait(KIND), or a claim without 'of wall'");
	} else if (p->table.rows.len && p->recovery != RECOVERY_EXACT) {
		claim_rows_measure(s, i, c, r);
	} else {
		claim_samples_measure(s, i, c, r);
	}
	if (r->unit == CLAIM_PERCENT && !r->of[0] && !capture->counters)
		(void)snprintf(r->of, sizeof(r->of), "%s",
			       capture->calls ? "traced time" : event_unit_of(capture).of);
}

/*
 * Return @limit if @value differs from it only by the rounding of floating-point numbers, as for
 * 1.75 % of 4000 samples. Otherwise return @value.
 */
static double claim_round(double value, double limit)
{
	return fabs(value - limit) <= CLAIM_ROUNDING * fabs(limit) ? limit : value;
}

/*
 * Judge a figure that is between @low and @high. The outcome is true if the claim is true for all
 * values in this range, false if it is false for all of them, otherwise cannot tell.
 */
static enum claim_outcome claim_compare(const struct claim *c, double low, double high)
{
	double limit = c->limit;
	bool is_true, is_false;

	low = claim_round(claim_round(low, limit), c->limit_high);
	high = claim_round(claim_round(high, limit), c->limit_high);
	switch (c->compare) {
	case CLAIM_LESS:
		is_true = high < limit;
		is_false = low >= limit;
		break;
	case CLAIM_AT_MOST:
		is_true = high <= limit;
		is_false = low > limit;
		break;
	case CLAIM_MORE:
		is_true = low > limit;
		is_false = high <= limit;
		break;
	case CLAIM_AT_LEAST:
		is_true = low >= limit;
		is_false = high < limit;
		break;
	case CLAIM_BETWEEN:
		is_true = low >= limit && high <= c->limit_high;
		is_false = high < limit || low > c->limit_high;
		break;
	case CLAIM_EQUAL:
		is_true = low >= limit && high <= limit;
		is_false = high < limit || low > limit;
		break;
	default:
		is_true = high < limit || low > limit;
		is_false = low >= limit && high <= limit;
		break;
	}
	return is_true ? CLAIM_TRUE : is_false ? CLAIM_FALSE : CLAIM_CANNOT_TELL;
}

/* Write to r->decide how many more samples would decide the claim. */
static void claim_decide(struct claim_state *s, const struct claim *c, struct claim_result *r)
{
	double limit = c->compare == CLAIM_BETWEEN &&
				       fabs(r->value - c->limit_high) < fabs(r->value - c->limit)
			       ? c->limit_high
			       : c->limit;
	double distance = fabs(r->value - limit);
	double half = r->value < limit ? r->high - r->value : r->value - r->low;
	double factor = distance > 0 ? half / distance * (half / distance) : INFINITY;
	double seconds = s->profiles[r->capture].seconds;

	if (r->decide[0])
		return;
	if (r->why[0]) {
		(void)snprintf(r->decide, sizeof(r->decide), "%s",
			       "a recording that has this: whole tables, symbols, call chains");
		return;
	}
	if (!r->is_sampled) {
		(void)snprintf(r->why, sizeof(r->why), "the limit is within what is known of it");
		(void)snprintf(r->decide, sizeof(r->decide), "a capture with more digits of it");
		return;
	}
	(void)snprintf(r->why, sizeof(r->why), "too few %s", r->n_of ? r->n_of : "samples");
	if (c->measure == CLAIM_QUANTILE && isinf(r->high))
		(void)snprintf(r->decide, sizeof(r->decide), "at least %.0f %s",
			       ceil(log(s->alpha / 2) / log(c->quantile)), r->n_of);
	else if (!(factor < CLAIM_LONGER_MAX))
		(void)snprintf(r->decide, sizeof(r->decide),
			       "a limit that is further from the figure: no recording of a "
			       "reasonable length tells them apart");
	else if (seconds > 0)
		(void)snprintf(r->decide, sizeof(r->decide),
			       "about %.1f times as many %s: record %.3g s instead of %.3g s",
			       factor * 1.1, r->n_of, seconds * factor * 1.1, seconds);
	else
		(void)snprintf(r->decide, sizeof(r->decide),
			       "about %.1f times as many %s: %.0f instead of %.0f", factor * 1.1,
			       r->n_of, fmax(r->n + 1, ceil(r->n * factor * 1.1)), r->n);
}

void claim_judge_figure(struct claim_state *s, const struct claim *c, bool is_base,
			struct claim_result *r)
{
	r->capture = claim_judge_capture(s, c, is_base, r);
	if (r->capture != INDEX_NONE)
		claim_measure(s, r->capture, c, r);
}

/* Compare the figure of a finding with the limit. */
static void claim_judge_finding(const struct claim *c, struct claim_result *r)
{
	r->outcome = claim_compare(c, r->low, r->high);
	if (r->outcome == CLAIM_CANNOT_TELL)
		(void)snprintf(r->decide, sizeof(r->decide),
			       "more samples, or a limit that is further from the figure");
}

static void claim_judge_one(struct claim_state *s, const struct claim *c, struct claim_result *r)
{
	*r = (struct claim_result){ .claim = c, .capture = INDEX_NONE, .n = NAN };
	if (c->kind == CLAIM_FINDING || c->kind == CLAIM_NO_FINDING) {
		claim_facts_finding(s, c, r);
		if (!r->is_final)
			claim_judge_finding(c, r);
		return;
	}
	if (c->kind == CLAIM_CHANGED) {
		claim_change_judge(s, c, r);
		return;
	}
	if (c->kind == CLAIM_SAME) {
		claim_change_same(s, c, r);
		return;
	}
	if (c->kind == CLAIM_CALLER) {
		r->capture = claim_judge_capture(s, c, false, r);
		if (r->capture != INDEX_NONE)
			claim_facts_caller(s, r->capture, c, r);
		return;
	}
	claim_judge_figure(s, c, false, r);
	if (r->is_final)
		return;
	r->outcome = claim_compare(c, r->low, r->high);
	if (r->outcome == CLAIM_CANNOT_TELL)
		claim_decide(s, c, r);
}

void claim_judge(struct facts *f, const struct claim *claims, size_t n,
		 const struct claim_options *options, struct claim_result *ret)
{
	struct claim_state s = { .facts = f,
				 .options = options,
				 .alpha = CLAIM_ALPHA / (double)(n ? n : 1) };

	s.profiles = xcalloc(f->dossier->captures.len + 1, sizeof(*s.profiles));
	for (size_t i = 0; i < n; i++)
		claim_judge_one(&s, &claims[i], &ret[i]);
	if (s.findings)
		findings_fini(s.findings);
	free(s.findings);
	free(s.profiles);
}
