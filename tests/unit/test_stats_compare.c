/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/compare/stats_compare.h"
#include "base/stats.h"
#include "base/status.h"

#include <math.h>

static void t_tails_are_those_of_tables(void **state)
{
	(void)state;
	/* Student's t, two-sided 5 %: 12.706, 2.776, 2.228, 2.0244 (38), 1.960 */
	assert_near(stats_t_critical(0.05, 1), 12.7062, 1e-3);
	assert_near(stats_t_critical(0.05, 4), 2.77645, 1e-4);
	assert_near(stats_t_critical(0.05, 10), 2.22814, 1e-4);
	assert_near(stats_t_critical(0.01, 30), 2.74999, 1e-4);
	assert_near(stats_t_critical(0.05, 1e5), STATS_Z95, 1e-6);
	assert_near(stats_t_two_sided(2.22814, 10), 0.05, 1e-5);
	assert_near(stats_t_two_sided(0, 3), 1, 1e-12);
	assert_true(stats_t_two_sided(40, 1e5) >= 0);
	assert_true(isnan(stats_t_two_sided(1, 0)));
}

static void incomplete_beta_and_polygamma_have_known_values(void **state)
{
	(void)state;
	assert_near(stats_beta(1, 1, 0.3), 0.3, 1e-12);
	assert_near(stats_beta(2, 3, 0.5), 0.6875, 1e-12);
	assert_near(stats_beta(0.5, 0.5, 0.5), 0.5, 1e-12);
	/* P(X >= 8), X of B(10, 0.5) = 56 / 1024 */
	assert_near(stats_beta(8, 3, 0.5), 56.0 / 1024, 1e-12);
	assert_near(stats_beta(5000, 5000, 0.5), 0.5, 1e-9);
	assert_near(stats_digamma(1), -0.57721566490153286, 1e-10);
	assert_near(stats_digamma(0.5), -1.9635100260214235, 1e-10);
	assert_near(stats_trigamma(1), 1.6449340668482264, 1e-9);
	assert_near(stats_trigamma(0.5), 4.9348022005446790, 1e-9);
}

/* R. G. Newcombe, Statist. Med. 17 (1998) 873-890, table II, method 10. */
static void differences_of_shares_are_those_of_newcombe(void **state)
{
	static const struct {
		double a, m, b, n, low, high;
	} rows[] = {
		{ 56, 70, 48, 80, 0.0524, 0.3339 }, { 9, 10, 3, 10, 0.1705, 0.8090 },
		{ 6, 7, 2, 7, 0.0582, 0.8062 },     { 5, 56, 0, 29, -0.0381, 0.1926 },
		{ 0, 10, 0, 20, -0.1611, 0.2775 },  { 10, 10, 0, 20, 0.6791, 1.0000 },
		{ 10, 10, 0, 10, 0.6075, 1.0000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct stats_side first = { rows[i].a / rows[i].m, rows[i].m };
		struct stats_side second = { rows[i].b / rows[i].n, rows[i].n };
		struct interval d = stats_difference(second, first, false, STATS_Z95);

		assert_near(d.low, rows[i].low, 6e-5);
		assert_near(d.high, rows[i].high, 6e-5);
	}
}

static void rates_have_score_limits(void **state)
{
	struct stats_side none = { 0, 10 };
	struct stats_side some = { 2.5, 10 }; /* 25 events */
	struct interval i = stats_rate_limits(none, 2);

	(void)state;
	assert_near(i.low, 0, 1e-12);
	assert_near(i.high, 0.4, 1e-12); /* z² / size */
	i = stats_rate_limits(some, 2);
	/* both limits solve (25 - m)² = 4 m */
	assert_near(pow(25 - 10 * i.low, 2), 40 * i.low, 1e-9);
	assert_near(pow(25 - 10 * i.high, 2), 40 * i.high, 1e-9);
}

static void rare_events_are_tested_exactly(void **state)
{
	struct stats_side a = { 0, 1e5 };
	struct stats_side b = { 6e-5, 1e5 };

	(void)state;
	/* 6 events against 0: the two-sided mid-p is twice half of 1/64 */
	assert_near(stats_difference_p(a, b, true, 1e5), 1.0 / 64, 1e-9);
	b.value = a.value = 1e-3;
	assert_near(stats_difference_p(a, b, false, 1e5), 1, 1e-9);
	a.size = 0;
	assert_true(isnan(stats_difference_p(a, b, false, 1e5)));
}

/* The example of Benjamini and Hochberg (1995), section 3.2: 4 of 15 at 5 %. */
static void the_false_discovery_rate_is_that_of_the_paper(void **state)
{
	static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
				    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double q[ARRAY_LEN(p)];
	double holes[] = { NAN, 0.04, NAN, 0.01 };
	double r[ARRAY_LEN(holes)];
	size_t n = 0;

	(void)state;
	stats_benjamini_hochberg(p, NULL, q, ARRAY_LEN(p));
	for (size_t i = 0; i < ARRAY_LEN(p); i++)
		n += q[i] <= 0.05;
	assert_int_equal(n, 4);
	assert_near(q[0], 0.0015, 1e-12);
	assert_near(q[4], 0.0201 * 15 / 5, 1e-12);
	stats_benjamini_hochberg(holes, NULL, r, ARRAY_LEN(holes));
	assert_true(isnan(r[0]) && isnan(r[2]));
	assert_near(r[3], 0.02, 1e-12);
	assert_near(r[1], 0.04, 1e-12);
	stats_benjamini_hochberg(NULL, NULL, NULL, 0);
}

static void a_weight_makes_a_test_count_sooner_but_no_surer_than_alone(void **state)
{
	static const double p[] = { 0.03, 0.04, 0.9, 0.02 };
	static const double weight[] = { 2.5, 0.5, 0.5, 0.5 };
	double q[ARRAY_LEN(p)];

	(void)state;
	stats_benjamini_hochberg(p, weight, q, ARRAY_LEN(p));
	/* p / weight: 0.012 is first, 0.04 second, 0.08 third; q is 4 / rank times as much */
	assert_near(q[0], 0.048, 1e-12);
	assert_near(q[3], 0.08, 1e-12);
	assert_near(q[1], 0.08 * 4 / 3, 1e-12);
	stats_benjamini_hochberg(p, weight, q, 1);
	assert_near(q[0], 0.03, 1e-12);
}

/* Ratios drawn as 2 * chi-square / df: the prior estimates 2 with high confidence. */
static void a_common_spread_is_found(void **state)
{
	double ratio[200], df[200];
	uint64_t x = 1;
	struct stats_prior prior;
	double d;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		double sum = 0;

		for (int k = 0; k < 40; k++) { /* each exponential is a chi-square of 2 df */
			x = x * 6364136223846793005u + 1442695040888963407u;
			sum += -2 * log(((double)(x >> 11) + 1) * 0x1p-53);
		}
		ratio[i] = 2 * sum / 80;
		df[i] = 80;
	}
	prior = stats_prior_fit(ratio, df, 200);
	assert_near(prior.ratio, 2, 0.08);
	assert_true(prior.df > 200);
	assert_near(stats_moderate(prior, 10, 4, &d), 2, 0.3);
	assert_true(d > 200);
	prior = stats_prior_fit(ratio, df, 3);
	assert_near(prior.df, 0, 0);
	assert_near(stats_moderate(prior, 10, 4, &d), 10, 1e-12);
	assert_near(d, 4, 1e-12);
	for (size_t i = 0; i < 200; i += 2) /* two kinds of functions: no common spread */
		ratio[i] *= 30;
	prior = stats_prior_fit(ratio, df, 200);
	assert_true(prior.df < 5);
}

/* Totals 10, 11, 12 and 13, 13.5, 15: Welch's t of their logarithms, by hand. */
static void totals_of_runs_are_compared_by_welch(void **state)
{
	static const double a[] = { 10, 11, 12 }, b[] = { 13, 13.5, 15 };
	struct stats_runs ra = stats_runs_of(a, 3, 0), rb = stats_runs_of(b, 3, 0);
	struct stats_ratio r = stats_runs_ratio(ra, rb, 0.0009, false);
	double va = 0.008316026695 / 3, vb = 0.005500503678 / 3;

	(void)state;
	assert_near(ra.mean, (log(10) + log(11) + log(12)) / 3, 1e-12);
	assert_near(ra.variance, 0.008316026695, 1e-8);
	assert_near(rb.variance, 0.005500503678, 1e-8);
	assert_true(r.is_measured);
	assert_near(r.log, rb.mean - ra.mean, 1e-12);
	assert_near(r.error, sqrt(va + vb), 1e-8);
	assert_near(r.df, (va + vb) * (va + vb) / (va * va / 2 + vb * vb / 2), 1e-5);
	assert_near(r.p, stats_t_two_sided(r.log / r.error, r.df), 1e-12);
	assert_near(r.variance, (0.008316026695 + 0.005500503678) / 2, 1e-8);
}

static void one_run_a_side_takes_the_assumed_spread(void **state)
{
	static const double a[] = { 100 }, b[] = { 109 }, three[] = { 95, 100, 105 };
	struct stats_runs one = stats_runs_of(a, 1, 0.0001), other = stats_runs_of(b, 1, 0);
	struct stats_runs runs = stats_runs_of(three, 3, 0);
	struct stats_ratio r = stats_runs_ratio(one, other, 0.0009, false);

	(void)state;
	assert_true(isnan(one.variance));
	assert_true(!r.is_measured);
	assert_near(r.error, sqrt(0.0009 + 0.0009 + 0.0001), 1e-12);
	/* the spread comes from the side that has several runs, with its degrees of freedom */
	r = stats_runs_ratio(runs, other, 0.0009, false);
	assert_true(r.is_measured);
	assert_near(r.df, 2, 1e-12);
	assert_near(r.error, sqrt(runs.variance / 3 + runs.variance), 1e-12);
	/* a given spread overrides a measured one */
	r = stats_runs_ratio(runs, other, 0.01, true);
	assert_true(!r.is_measured);
	assert_near(r.error, sqrt(0.01 / 3 + 0.01), 1e-12);
}

static void the_number_of_runs_shows_what_is_wanted(void **state)
{
	struct stats_ratio r = { .error = 0.1, .df = 4 };
	uint64_t n = stats_runs_needed(0.0009, log(1.01), 0.05, 0.05);

	(void)state;
	/*
	 * t of 4 df is 2.776 for a test at 5 %; 2.132 more, and the change is missed only once in
	 * 20
	 */
	assert_near(stats_ratio_visible(r, 0.05, 0.05), 0.1 * (2.77645 + 2.13185), 1e-5);
	r = (struct stats_ratio){ .error = sqrt(2 * 0.0009 / (double)n),
				  .df = 2.0 * (double)n - 2 };
	assert_true(stats_ratio_visible(r, 0.05, 0.05) <= log(1.01));
	n--;
	r = (struct stats_ratio){ .error = sqrt(2 * 0.0009 / (double)n),
				  .df = 2.0 * (double)n - 2 };
	assert_true(stats_ratio_visible(r, 0.05, 0.05) > log(1.01));
	assert_int_equal(stats_runs_needed(1, 1e-9, 0.05, 0.05), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_tails_are_those_of_tables),
		cmocka_unit_test(incomplete_beta_and_polygamma_have_known_values),
		cmocka_unit_test(differences_of_shares_are_those_of_newcombe),
		cmocka_unit_test(rates_have_score_limits),
		cmocka_unit_test(rare_events_are_tested_exactly),
		cmocka_unit_test(the_false_discovery_rate_is_that_of_the_paper),
		cmocka_unit_test(a_weight_makes_a_test_count_sooner_but_no_surer_than_alone),
		cmocka_unit_test(a_common_spread_is_found),
		cmocka_unit_test(totals_of_runs_are_compared_by_welch),
		cmocka_unit_test(one_run_a_side_takes_the_assumed_spread),
		cmocka_unit_test(the_number_of_runs_shows_what_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
