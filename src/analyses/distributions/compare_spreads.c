/* SPDX-License-Identifier: MIT */
#include "analyses/distributions/compare_spreads.h"

#include "analyses/compare/stats_compare.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"

#include <math.h>

/* at an edge for a quantile, the share of the larger values is within this factor of the quantile's
 */
#define SPREADS_NEAR 4.0

static const double spreads_quantiles[] = { 0.5, 0.9, 0.99 };

/* Number of values that are at least @bound, an edge of the buckets. */
static double spreads_above(const struct spread *s, double bound)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->series->n_buckets; i++)
		n += s->buckets[i].low >= bound ? s->buckets[i].count : 0;
	return (double)n;
}

/* Whether no bucket with values extends across @bound. Then spreads_above() is exact. */
static bool spreads_is_edge(const struct spread *s, double bound)
{
	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		const struct distribution_bucket *b = &s->buckets[i];

		if (b->count && b->low < bound && b->high > bound)
			return false;
	}
	return true;
}

/*
 * Find the best common edge for @share: an edge of buckets on both sides. For each common edge,
 * compute the shares of values that are at least the edge, and take the mean of both sides. The
 * best edge is the one whose mean differs from @share by the smallest factor. NaN: no common edge
 * has a mean within SPREADS_NEAR of @share. An edge in the tail does not show whether the median is
 * the same.
 */
static double spreads_edge(const struct spread *a, const struct spread *b, double share)
{
	const struct spread *const of[] = { a, b };
	double best = NAN, best_distance = log(SPREADS_NEAR);

	for (size_t side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < of[side]->series->n_buckets; i++) {
			double edge = of[side]->buckets[i].low;
			double mean = (spreads_above(a, edge) / (double)a->series->count +
				       spreads_above(b, edge) / (double)b->series->count) /
				      2;
			double distance = mean > 0 && mean < 1 ? fabs(log(mean / share)) : INFINITY;

			if (distance < best_distance && spreads_is_edge(a, edge) &&
			    spreads_is_edge(b, edge)) {
				best = edge;
				best_distance = distance;
			}
		}
	}
	return best;
}

static struct spread_change spreads_row(const struct spread *a, const struct spread *b,
					double quantile, double *ret_p)
{
	struct spread_change r = {
		.a = a->series,
		.b = b->series,
		.quantile = quantile,
		.at_a = spread_quantile(a, quantile),
		.at_b = spread_quantile(b, quantile),
		.bound = NAN,
		.pct_a = NAN,
		.pct_b = NAN,
		.low = NAN,
		.high = NAN,
		.q = NAN,
		.verdict = SPREAD_CANNOT_TELL,
	};
	struct stats_side sides[2];
	struct interval i;

	*ret_p = NAN;
	if (a->series->is_relative || b->series->is_relative)
		return r;
	r.bound = spreads_edge(a, b, 1 - quantile);
	if (isnan(r.bound))
		return r;
	sides[0].size = (double)a->series->count;
	sides[1].size = (double)b->series->count;
	sides[0].value = spreads_above(a, r.bound) / sides[0].size;
	sides[1].value = spreads_above(b, r.bound) / sides[1].size;
	r.pct_a = 100 * sides[0].value;
	r.pct_b = 100 * sides[1].value;
	i = stats_difference(sides[0], sides[1], false, STATS_Z95);
	r.low = 100 * i.low;
	r.high = 100 * i.high;
	*ret_p = stats_difference_p(sides[0], sides[1], false, STATS_DF_NORMAL);
	return r;
}

static enum spread_verdict spreads_verdict(const struct spread_change *r)
{
	double margin = 100 * (1 - r->quantile) * COMPARE_SPREADS_MARGIN;

	if (isnan(r->low))
		return SPREAD_CANNOT_TELL;
	if (r->low > -margin && r->high < margin)
		return SPREAD_SAME;
	if (!(r->q < COMPARE_SPREADS_FDR))
		return SPREAD_CANNOT_TELL;
	return r->pct_b > r->pct_a ? SPREAD_MORE : SPREAD_LESS;
}

/* The series in @of with the key, name and unit of @s; NULL: none. */
static const struct spread *spreads_partner(const struct spreads *of, const struct spread *s)
{
	VEC_FOREACH (other, &of->rows) {
		if (other->series->key.v == s->series->key.v &&
		    other->series->name.v == s->series->name.v &&
		    other->series->unit.v == s->series->unit.v)
			return other;
	}
	return NULL;
}

bool spread_compare(const struct capture *a, const struct capture *b, struct spread_compare *ret)
{
	VEC(double) p = VEC_INIT;
	double *q;

	*ret = (struct spread_compare){ .only_a = 0 };
	spreads_init(&ret->of[0], a);
	spreads_init(&ret->of[1], b);
	VEC_FOREACH (s, &ret->of[0].rows) {
		const struct spread *other = spreads_partner(&ret->of[1], s);

		ret->only_a += !other;
		if (!other)
			continue;
		ret->has_unknown |= s->series->is_relative || other->series->is_relative;
		for (size_t i = 0; i < sizeof(spreads_quantiles) / sizeof(*spreads_quantiles); i++)
			*VEC_PUSH(&ret->rows) =
				spreads_row(s, other, spreads_quantiles[i], VEC_PUSH(&p));
	}
	VEC_FOREACH (s, &ret->of[1].rows)
		ret->only_b += !spreads_partner(&ret->of[0], s);
	if (ret->rows.len == 0)
		return false;
	q = xcalloc(p.len, sizeof(*q));
	stats_benjamini_hochberg(p.data, NULL, q, p.len);
	for (size_t i = 0; i < ret->rows.len; i++) {
		ret->rows.data[i].q = q[i];
		ret->rows.data[i].verdict = spreads_verdict(&ret->rows.data[i]);
	}
	free(q);
	VEC_FREE(&p);
	return true;
}

void spread_compare_fini(struct spread_compare *c)
{
	VEC_FREE(&c->rows);
	spreads_fini(&c->of[0]);
	spreads_fini(&c->of[1]);
}
