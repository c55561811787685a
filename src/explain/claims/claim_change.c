/* SPDX-License-Identifier: MIT */
/*
 * claim_change.c - claims about two recordings: "grew by 5% since", "within 1% of", "same as"
 *
 * Each of the two figures has an interval. The interval of their difference follows from both: half
 * of its width is the root of the sum of the squared half widths (stats_compare.h). If samples are
 * missing or unresolved, the error is not random. Then the lower limit is the lowest new value
 * minus the highest old value, and the upper limit is the highest new value minus the lowest old
 * value.
 *
 * "same as" tests the rows of compare_profiles(). Their intervals are widened here, because many
 * rows are tested at once.
 *
 * The change of a share is in percentage points. The change of any other figure in percent is
 * relative to the old value. Its interval is the interval of the quotient of both figures.
 */
#include "analyses/compare/compare.h"
#include "analyses/compare/stats_compare.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>
#include <stdio.h>

#define CLAIM_NAME_SHOWN  80
#define CLAIM_VALUE_SHOWN 40

/* The outcome of the claimed change, if the real change is from @low to @high. */
static enum claim_outcome claim_change_outcome(const struct claim *c, double low, double high)
{
	double limit = c->limit;
	bool is_true, is_false;

	if (c->change == CLAIM_FELL) {
		double swap = low;

		low = -high;
		high = -swap;
	}
	if (c->change == CLAIM_WITHIN) {
		is_true = low >= -limit && high <= limit;
		is_false = low > limit || high < -limit;
	} else {
		is_true = low > limit;
		is_false = high <= limit;
	}
	return is_true ? CLAIM_TRUE : is_false ? CLAIM_FALSE : CLAIM_CANNOT_TELL;
}

/*
 * Whether the figure is missing in the recording with the result @side. If so, set @r to "cannot
 * tell", with the reason "WHICH: REASON". WHICH is @which ("here", "in the base"), REASON is the
 * reason in @side.
 */
static bool claim_change_lacks(const struct claim_result *side, const char *which,
			       struct claim_result *r)
{
	char why[CLAIM_TEXT_BYTES], decide[CLAIM_TEXT_BYTES];

	if (side->has_figure && !side->is_final)
		return false;
	(void)snprintf(why, sizeof(why), "%s: %.200s", which, side->why);
	(void)snprintf(decide, sizeof(decide), "%s", side->decide);
	claim_cannot(r, why, decide);
	return true;
}

/* The text of a value: "1.204 s", "3600000000", "26.76". */
static void claim_change_value(double v, enum claim_unit unit, char text[static CLAIM_VALUE_SHOWN])
{
	static const char *const times[] = { "ns", "\u00b5s", "ms", "s" };
	size_t i = 0;

	for (; unit == CLAIM_NS && i + 1 < ARRAY_LEN(times) && v >= 1000; i++)
		v /= 1000;
	if (unit == CLAIM_NS)
		(void)snprintf(text, CLAIM_VALUE_SHOWN, "%.4g %s", v, times[i]);
	else if (v >= 10000 && v < 1e15)
		(void)snprintf(text, CLAIM_VALUE_SHOWN, "%.0f", v);
	else
		(void)snprintf(text, CLAIM_VALUE_SHOWN, "%.4g", v);
}

/* Set r->why to the values of both recordings. */
static void claim_change_sides(struct claim_result *r, double now, double base,
			       enum claim_unit unit)
{
	char here[CLAIM_VALUE_SHOWN], there[CLAIM_VALUE_SHOWN];

	claim_change_value(now, unit, here);
	claim_change_value(base, unit, there);
	(void)snprintf(r->why, sizeof(r->why), "the change; %s here, %s in the base", here, there);
}

void claim_change_judge(struct claim_state *s, const struct claim *c, struct claim_result *r)
{
	struct claim_result now = { .claim = c, .capture = INDEX_NONE, .n = NAN };
	struct claim_result base = now;
	double delta, low, high;

	claim_judge_figure(s, c, false, &now);
	claim_judge_figure(s, c, true, &base);
	r->capture = now.capture;
	for (unsigned int i = 0; i < now.n_lines; i++)
		claim_add_line(r, now.lines[i]);
	if (claim_change_lacks(&now, "here", r) || claim_change_lacks(&base, "in the base", r))
		return;
	if (now.unit != base.unit) {
		claim_cannot(r, "the two figures have different units", "recordings of one event");
		return;
	}
	delta = now.value - base.value;
	if (c->unit == CLAIM_PERCENT && now.unit != CLAIM_PERCENT) {
		if (!(base.low > 0)) {
			claim_cannot(r, "the figure of the base may be 0", "a change without %");
			return;
		}
		/* in this order, 105 is exactly 5 % more than 100 */
		delta = 100 * (now.value - base.value) / base.value;
		low = 100 * (now.low - base.high) / base.high;
		high = 100 * (now.high - base.low) / base.low;
		now.unit = CLAIM_PERCENT;
		(void)snprintf(now.of, sizeof(now.of), "the base");
	} else if (c->limit > 0 && c->unit != now.unit) {
		claim_cannot(r, "the figure has another unit", "a change in its unit, or in %");
		return;
	} else if (now.why[0] || base.why[0] || !now.is_sampled || !base.is_sampled) {
		low = now.low - base.high;
		high = now.high - base.low;
	} else {
		low = delta - hypot(now.value - now.low, base.high - base.value);
		high = delta + hypot(now.high - now.value, base.value - base.low);
	}
	r->has_figure = true;
	r->value = delta;
	r->low = low;
	r->high = high;
	r->unit = now.unit;
	r->n = now.n;
	r->n_of = now.n_of;
	r->is_sampled = now.is_sampled || base.is_sampled;
	memcpy(r->of, now.of, sizeof(r->of));
	r->outcome = claim_change_outcome(c, low, high);
	if (r->outcome == CLAIM_CANNOT_TELL)
		claim_cannot(r,
			     now.why[0] ? now.why
			     : base.why[0]
				     ? base.why
				     : "the change is smaller than what these recordings show",
			     "longer recordings; assay diff --want says how long");
	else
		claim_change_sides(r, now.value, base.value, base.unit);
}

/*
 * Result of the claim "same as", which is about all functions. beyond: the function with the
 * largest change, among those that certainly changed by more than the limit; NULL: none did.
 * furthest: the function whose possible change is largest; reach: this change.
 */
struct claim_same {
	const struct compare_row *beyond, *furthest;
	double reach;
	uint64_t rows;
};

static void claim_same_row(const struct compare_row *row, double wider, double limit,
			   struct claim_same *found)
{
	double low = row->delta - (row->delta - row->low) * wider;
	double high = row->delta + (row->high - row->delta) * wider;
	double reach = fmax(fabs(low), fabs(high));

	if ((low > limit || high < -limit) &&
	    (!found->beyond || fabs(row->delta) > fabs(found->beyond->delta)))
		found->beyond = row;
	if (isnan(reach) || reach > found->reach) {
		found->reach = isnan(reach) ? INFINITY : reach;
		found->furthest = row;
	}
}

static void claim_same_judge(const struct claim_state *s, const struct claim *c,
			     const struct compare *compared, struct claim_result *r)
{
	const struct compare_table *t = &compared->tables[COMPARE_SYMBOL];
	double n = (double)(t->rows.len ? t->rows.len : 1);
	double wider = stats_t_critical(s->alpha / n, STATS_DF_NORMAL) /
		       stats_t_critical(CLAIM_ALPHA, STATS_DF_NORMAL);
	struct claim_same found = { .reach = -1 };
	const struct compare_row *row;

	VEC_FOREACH (at, &t->rows)
		claim_same_row(at, s->options->is_recorded_only ? 0 : wider, c->limit, &found);
	row = found.beyond ? found.beyond : found.furthest;
	if (!row || t->missing.len) {
		claim_cannot(r, "no function can be compared", "assay diff, which says why");
		return;
	}
	r->has_figure = true;
	r->is_final = true;
	r->is_sampled = true;
	r->unit = CLAIM_PERCENT;
	r->value = row->delta;
	r->low = row->delta - (row->delta - row->low) * wider;
	r->high = row->delta + (row->high - row->delta) * wider;
	r->n = compared->b.samples;
	r->n_of = "samples";
	(void)snprintf(r->why, sizeof(r->why), "the change of " STR_FMT ", which %s",
		       STR_ARG(str_sub(row->name, 0, CLAIM_NAME_SHOWN)),
		       found.beyond ? "changed most" : "may have changed most");
	r->outcome = found.beyond              ? CLAIM_FALSE
		     : found.reach <= c->limit ? CLAIM_TRUE
					       : CLAIM_CANNOT_TELL;
	if (r->outcome == CLAIM_CANNOT_TELL)
		(void)snprintf(r->decide, sizeof(r->decide),
			       "longer recordings; assay diff --want says how long");
}

void claim_change_same(struct claim_state *s, const struct claim *c, struct claim_result *r)
{
	struct compare_spec spec = { .margin = c->limit };
	struct compare compared = { .scale = 0 };
	struct error err = { "" };
	uint32_t base;
	int e;

	r->capture = claim_judge_capture(s, c, false, r);
	base = r->capture == INDEX_NONE ? INDEX_NONE : claim_judge_capture(s, c, true, r);
	if (base == INDEX_NONE)
		return;
	spec.a = (struct compare_side){ .captures = { s->facts->dossier->captures.data[base] },
					.n = 1 };
	spec.b =
		(struct compare_side){ .captures = { s->facts->dossier->captures.data[r->capture] },
				       .n = 1 };
	e = compare_profiles(&spec, &s->facts->cats, &compared, &err);
	if (e == OK && compared.spread == COMPARE_UNKNOWN && !s->options->is_recorded_only)
		claim_cannot(r, "the number of samples is unknown",
			     "recordings with their number of samples, or --recorded");
	else if (e == OK)
		claim_same_judge(s, c, &compared, r);
	else
		claim_cannot(r, err.msg[0] ? err.msg : "the recordings are not comparable",
			     "assay diff, which says why");
	compare_fini(&compared);
}
