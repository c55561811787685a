/* SPDX-License-Identifier: MIT */
/* Two distributions: which percentiles moved, how often equal ones seem to, and what is unknown. */
#include "unit.h"

#include "analyses/distributions/compare_spreads.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"

#include <math.h>

#define BUCKETS 12u

/* A capture with one series of times, in buckets of powers of two. */
static struct capture *side(struct dossier *d, const uint64_t counts[BUCKETS])
{
	struct capture *c = dossier_add(d, "bcc-histogram");
	struct distribution *of = capture_distribution(c);

	(void)distribution_begin(of, STR_ID_NONE, strings_add(capture_strings(c), STR("ns")), 1);
	for (uint32_t i = 0; i < BUCKETS; i++) {
		assert_int_equal(distribution_add(of, pow(2, i), pow(2, i + 1), counts[i], i + 1),
				 OK);
	}
	return c;
}

static enum spread_verdict verdict(const uint64_t a[BUCKETS], const uint64_t b[BUCKETS],
				   double quantile)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *of[] = { side(d, a), side(d, b) };
	enum spread_verdict ret = SPREAD_CANNOT_TELL;
	struct spread_compare c;

	assert_true(spread_compare(of[0], of[1], &c));
	assert_int_equal(c.rows.len, 3);
	VEC_FOREACH (r, &c.rows)
		ret = fabs(r->quantile - quantile) < 1e-9 ? r->verdict : ret;
	spread_compare_fini(&c);
	return ret;
}

static void a_percentile_that_moved_is_more_or_less(void **state)
{
	static const uint64_t a[BUCKETS] = { 0, 0, 50, 500, 350, 90, 10 };
	static const uint64_t b[BUCKETS] = { 0, 0, 10, 300, 550, 130, 10 };

	(void)state;
	assert_int_equal(verdict(a, b, 0.5), SPREAD_MORE);
	assert_int_equal(verdict(b, a, 0.5), SPREAD_LESS);
	assert_int_equal(verdict(a, b, 0.99), SPREAD_CANNOT_TELL);
}

/* The interval of a difference of 0 at 50 % of n values on each side is about 1.386 / sqrt(n). */
static void the_same_needs_an_interval_within_the_margin(void **state)
{
	static const uint64_t enough[BUCKETS] = { 0, 400, 400 };
	static const uint64_t few[BUCKETS] = { 0, 370, 370 };

	(void)state;
	assert_int_equal(verdict(enough, enough, 0.5), SPREAD_SAME);
	assert_int_equal(verdict(few, few, 0.5), SPREAD_CANNOT_TELL);
}

/* A significant change that is surely below the margin is no change. */
static void a_small_change_of_many_values_is_the_same(void **state)
{
	static const uint64_t a[BUCKETS] = { 0, 5000000, 5000000 };
	static const uint64_t b[BUCKETS] = { 0, 4600000, 5400000 };
	static const uint64_t c[BUCKETS] = { 0, 4400000, 5600000 };

	(void)state;
	assert_int_equal(verdict(a, b, 0.5), SPREAD_SAME);
	assert_int_equal(verdict(a, c, 0.5), SPREAD_MORE);
}

static void one_bucket_has_no_edge_to_compare_at(void **state)
{
	static const uint64_t a[BUCKETS] = { 0, 0, 900 };
	static const uint64_t b[BUCKETS] = { 0, 0, 800 };

	(void)state;
	assert_int_equal(verdict(a, b, 0.5), SPREAD_CANNOT_TELL);
}

static double unit_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* @n values of an exponential distribution with the mean 2^@log. */
static void draw(uint64_t *state, uint32_t n, double log, uint64_t ret[BUCKETS])
{
	memset(ret, 0, BUCKETS * sizeof(*ret));
	for (uint32_t i = 0; i < n; i++) {
		double value = -pow(2, log) * log1p(-unit_random(state));
		double at = log2(fmax(value, 1));

		ret[at >= BUCKETS ? BUCKETS - 1 : (uint32_t)at]++;
	}
}

static void equal_distributions_rarely_seem_to_differ(void **state)
{
	uint64_t seed = 20;
	unsigned int wrong = 0, found = 0;

	(void)state;
	for (unsigned int i = 0; i < 400; i++) {
		uint64_t a[BUCKETS], b[BUCKETS], slower[BUCKETS];
		bool is_wrong = false, is_found = false;

		draw(&seed, 800, 6, a);
		draw(&seed, 1200, 6, b);
		draw(&seed, 1200, 6.3, slower); /* 23 % longer */
		for (unsigned int k = 0; k < 3; k++) {
			enum spread_verdict v = verdict(a, b, k == 0 ? 0.5 : k == 1 ? 0.9 : 0.99);

			is_wrong |= v == SPREAD_MORE || v == SPREAD_LESS;
		}
		is_found = verdict(a, slower, 0.5) == SPREAD_MORE;
		wrong += is_wrong;
		found += is_found;
	}
	/* 5 % of 400 are 20; three standard deviations more are 33 */
	assert_in_range(wrong, 0, 33);
	assert_in_range(found, 340, 400);
}

static void without_the_number_of_values_nothing_is_tested(void **state)
{
	static const uint64_t a[BUCKETS] = { 0, 500000, 490000, 10000 };
	static const uint64_t b[BUCKETS] = { 0, 100000, 500000, 400000 };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *of[] = { side(d, a), side(d, b) };
	struct spread_compare c;

	(void)state;
	of[1]->distribution->series.data[0].is_relative = true;
	assert_true(spread_compare(of[0], of[1], &c));
	assert_true(c.has_unknown);
	VEC_FOREACH (r, &c.rows) {
		assert_int_equal(r->verdict, SPREAD_CANNOT_TELL);
		assert_true(!(r->q >= 0));
		assert_true(isinf(r->at_b.high) || r->at_b.high > 0);
	}
	spread_compare_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_percentile_that_moved_is_more_or_less),
		cmocka_unit_test(the_same_needs_an_interval_within_the_margin),
		cmocka_unit_test(a_small_change_of_many_values_is_the_same),
		cmocka_unit_test(one_bucket_has_no_edge_to_compare_at),
		cmocka_unit_test(equal_distributions_rarely_seem_to_differ),
		cmocka_unit_test(without_the_number_of_values_nothing_is_tested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
