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

/* P(X >= @k) of a binomial distribution, added up. */
static double binomial_tail(int k, int n, double p)
{
	double sum = 0;

	for (int i = k; i <= n; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)) * pow(p, i) *
		       pow(1 - p, n - i);
	return sum;
}

static void incomplete_beta_is_the_tail_of_a_binomial(void **state)
{
	(void)state;
	for (int a = 1; a <= 15; a++) {
		for (int b = 1; b <= 15; b++) {
			for (int x = 0; x <= 20; x++)
				assert_near(stats_beta(a, b, x / 20.0),
					    binomial_tail(a, a + b - 1, x / 20.0), 1e-12);
			/* both branches of the fraction give the same where they meet */
			assert_near(stats_beta(a, b, (a + 1.0) / (a + b + 2.0)) +
					    stats_beta(b, a, 1 - (a + 1.0) / (a + b + 2.0)),
				    1, 1e-13);
		}
	}
	assert_true(stats_beta(0.5, 0.5, 0) == 0 && stats_beta(0.5, 0.5, 1) == 1);
	assert_true(stats_beta(2, 3, -1) == 0 && stats_beta(2, 3, 2) == 1);
	assert_near(stats_beta(0.25, 40, 1e-9), 0.0149, 1e-2);
	assert_near(stats_beta(1, 1, 0.5), 0.5, 1e-15);
	assert_true(isnan(stats_beta(0, 1, 0.5)) && isnan(stats_beta(1, 0, 0.5)));
	assert_true(isnan(stats_beta(1, 1, NAN)) && isnan(stats_beta(-1, 1, 0.5)));
}

/* With one and two degrees of freedom, t has closed forms. */
static void t_has_its_closed_forms_and_its_limit(void **state)
{
	(void)state;
	for (int i = 0; i <= 50; i++) {
		double t = i / 5.0;

		assert_near(stats_t_two_sided(t, 1), 1 - 2 * atan(t) / M_PI, 1e-12);
		assert_near(stats_t_two_sided(-t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
		assert_true(stats_t_two_sided(t, STATS_DF_NORMAL) == erfc(t * M_SQRT1_2));
	}
	/* just below the limit it is still t: 2 is exceeded more often by 4.5e-6 * 6 */
	assert_true(stats_t_two_sided(2, 9999) - erfc(2 * M_SQRT1_2) > 1e-5);
	assert_true(isnan(stats_t_two_sided(NAN, 5)) && isnan(stats_t_two_sided(1, 0)));
	assert_true(isnan(stats_t_two_sided(1, -1)));
	for (double df = 0.5; df < 200; df *= 1.7) {
		for (double alpha = 0.9; alpha > 1e-6; alpha *= 0.3)
			assert_near(stats_t_two_sided(stats_t_critical(alpha, df), df) / alpha, 1,
				    1e-8);
	}
	assert_true(isnan(stats_t_critical(0, 5)) && isnan(stats_t_critical(1, 5)));
	assert_true(isnan(stats_t_critical(0.5, 0)) && isnan(stats_t_critical(1.5, 5)));
	assert_near(stats_t_critical(0.5, 0.5), 1.6, 0.1);
	/* heavy tails: without a limit the search would take very long */
	assert_true(stats_t_critical(1e-9, 0.5) >= 1e12 && stats_t_critical(1e-9, 0.5) < 1.2e12);
}

/* Clopper and Pearson: at each limit, the observed count or beyond has half of @alpha. */
static void exact_limits_leave_half_of_alpha_on_each_side(void **state)
{
	struct interval i, w;

	(void)state;
	for (int n = 1; n <= 12; n++) {
		for (int k = 0; k <= n; k++) {
			i = stats_exact_limits(k, n, 0.1);
			if (k > 0)
				assert_near(binomial_tail(k, n, i.low), 0.05, 1e-9);
			else
				assert_true(i.low == 0);
			if (k < n)
				assert_near(1 - binomial_tail(k + 1, n, i.high), 0.05, 1e-9);
			else
				assert_true(i.high == 1);
		}
	}
	i = stats_exact_limits(-1, 12, 0.1);
	w = stats_exact_limits(0, 12, 0.1);
	assert_true(i.low == w.low && i.high == w.high);
	i = stats_exact_limits(13, 12, 0.1);
	w = stats_exact_limits(12, 12, 0.1);
	assert_true(i.low == w.low && i.high == w.high);
	i = stats_exact_limits(0.5, 0.75, 0.1);
	assert_true(i.low > 0 && i.high < 1);
	i = stats_exact_limits(0, 0, 0.1);
	assert_true(i.low == 0 && i.high == 1);
	i = stats_exact_limits(1, 2, 0);
	assert_true(i.low == 0 && i.high == 1);
	i = stats_exact_limits(1, 2, -1);
	assert_true(i.low == 0 && i.high == 1);
	/* a variance k (n - k) / n of 10000 is computed exactly, of 10001 by Wilson's limits */
	for (int far = 0; far < 2; far++) {
		i = stats_exact_limits(20000 + 2 * far, 40000 + 4 * far, 0.05);
		w = stats_wilson(20000 + 2 * far, 40000 + 4 * far,
				 stats_t_critical(0.05, STATS_DF_NORMAL));
		assert_true((i.low * 100 == w.low || fabs(i.low * 100 - w.low) < 1e-12) == far);
		assert_true((i.high * 100 == w.high || fabs(i.high * 100 - w.high) < 1e-12) == far);
	}
}

static void polygamma_functions_follow_their_recurrence(void **state)
{
	(void)state;
	/* the harmonic numbers, and sums of 1 / k^2; the series is good for 5e-11 from 10 on */
	for (int n = 1; n <= 60; n++) {
		double harmonic = -0.57721566490153286, squares = M_PI * M_PI / 6;

		for (int k = 1; k < n; k++) {
			harmonic += 1.0 / k;
			squares -= 1.0 / k / k;
		}
		assert_near(stats_digamma(n), harmonic, 5e-11);
		assert_near(stats_trigamma(n), squares, 5e-11);
	}
	assert_true(isnan(stats_digamma(0)) && isnan(stats_trigamma(0)));
	assert_true(isnan(stats_digamma(-1)) && isnan(stats_trigamma(-0.5)));
}

static void limits_of_rates_and_tests_of_nothing(void **state)
{
	struct stats_side small = { 2, 0.5 }; /* one event */
	struct interval i = stats_rate_limits((struct stats_side){ 3, 0 }, 2);
	struct stats_side a = { 0, 5 }, b = { 0, 7 }, all = { 1, 5 };

	(void)state;
	assert_true(i.low == 0 && isinf(i.high));
	i = stats_rate_limits(small, 2);
	assert_near(pow(1 - 0.5 * i.low, 2), 4 * 0.5 * i.low, 1e-12);
	assert_near(pow(1 - 0.5 * i.high, 2), 4 * 0.5 * i.high, 1e-12);
	assert_true(i.low > 0);
	/* without variance nothing differs */
	assert_true(stats_difference_p(a, b, true, 10) == 1);
	assert_true(stats_difference_p(a, b, false, 10) == 1);
	assert_true(stats_difference_p(all, all, false, 10) == 1);
	a.size = -1;
	assert_true(isnan(stats_difference_p(a, b, false, 10)));
	assert_true(isnan(stats_difference_p(b, (struct stats_side){ 0.5, 0 }, false, 10)));
	assert_true(stats_difference_p((struct stats_side){ 0.5, 0.7 },
				       (struct stats_side){ 0.5, 0.9 }, false, 10) > 0);
}

/* p-values of counts @x and @y of equal sizes: binomial mid-p if both are fewer than 60. */
static void counts_below_sixty_are_also_tested_exactly(void **state)
{
	(void)state;
	for (int x = 0; x <= 40; x += 4) {
		for (int y = 0; y <= 40; y++) {
			struct stats_side a = { x / 100.0, 100 }, b = { y / 100.0, 100 };
			double score, exact, upper;

			if (x + y == 0)
				continue;
			score = erfc(fabs((double)y - x) / sqrt(x + y) * M_SQRT1_2);
			upper = (binomial_tail(y, x + y, 0.5) + binomial_tail(y + 1, x + y, 0.5)) /
				2;
			exact = fmin(1, 2 * fmin(upper, 1 - upper));
			assert_near(stats_difference_p(a, b, true, STATS_DF_NORMAL),
				    x + y < 60 ? fmax(score, exact) : score, 1e-9);
		}
	}
}

/* A share of 30 in 200 against 45 in 150, by the pooled score test. */
static void shares_are_tested_by_their_pooled_variance(void **state)
{
	struct stats_side a = { 0.15, 200 }, b = { 0.3, 150 };
	double mean = 75.0 / 350, variance = mean * (1 - mean) * (1.0 / 200 + 1.0 / 150);

	(void)state;
	assert_near(stats_difference_p(a, b, false, STATS_DF_NORMAL),
		    erfc(0.15 / sqrt(variance) * M_SQRT1_2), 1e-12);
	assert_near(stats_difference_p(a, b, true, 7),
		    stats_t_two_sided(0.15 / sqrt(mean * (1.0 / 200 + 1.0 / 150)), 7), 1e-12);
}

static void equal_runs_differ_certainly_or_not_at_all(void **state)
{
	static const double same[] = { 5, 5 }, other[] = { 6, 6, 6 };
	struct stats_runs a = stats_runs_of(same, 2, 0), b = stats_runs_of(other, 3, 0);
	struct stats_ratio r = stats_runs_ratio(a, b, 0, false);

	(void)state;
	assert_true(a.variance == 0 && b.variance == 0);
	assert_near(r.df, 3, 0); /* n - 1 of each side */
	assert_true(r.p == 0);
	r = stats_runs_ratio(a, a, 0, false);
	assert_true(r.p == 1 && r.log == 0);
	a = stats_runs_of(same, 2, 0.25);
	assert_true(a.variance == 0.25);
	r = stats_runs_ratio(a, stats_runs_of(other, 1, 0.5), 0, false);
	assert_near(r.error, sqrt(0.25 / 2 + 0.5), 1e-12); /* the other side's floor is higher */
	assert_near(r.df, 1, 0);
	r = stats_runs_ratio(stats_runs_of(other, 1, 0.125), a, 0, false);
	assert_near(r.error, sqrt(0.25 / 2 + 0.25), 1e-12);
	assert_near(r.variance, 0.25, 1e-12);
}

/* The number of runs, against trying one after another. */
static void the_number_of_runs_is_the_first_that_suffices(void **state)
{
	(void)state;
	for (double change = 1.005; change < 1.4; change *= 1.013) {
		uint64_t first = 2;

		for (;; first++) {
			struct stats_ratio r = { .error = sqrt(2 * 0.0004 / (double)first),
						 .df = 2.0 * (double)first - 2 };

			if (!(stats_ratio_visible(r, 0.05, 0.1) > log(change)))
				break;
		}
		assert_int_equal(stats_runs_needed(0.0004, log(change), 0.05, 0.1), first);
		assert_int_equal(stats_runs_needed(0.0004, -log(change), 0.05, 0.1), first);
	}
}

static void more_runs_than_the_limit_are_none(void **state)
{
	static const uint64_t counts[] = { 40001, 65537, 90000, STATS_RUNS_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		double n = (double)counts[i];
		struct stats_ratio r = { .error = sqrt(0.0008 / n), .df = 2 * n - 2 };
		double visible = stats_ratio_visible(r, 0.05, 0.1);

		assert_int_equal(stats_runs_needed(0.0004, visible, 0.05, 0.1), counts[i]);
		assert_int_equal(stats_runs_needed(0.0004, visible * 0.999999, 0.05, 0.1),
				 counts[i] == STATS_RUNS_MAX ? 0 : counts[i] + 1);
	}
}

/* Smallest q of all larger p-values, found by comparing each with each. */
static void corrected_p_values_are_the_least_of_those_above(void **state)
{
	uint64_t x = 3;

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		double p[9], weight[9], q[9];
		size_t n = (size_t)turn % 9 + 1;

		for (size_t i = 0; i < n; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			p[i] = (double)(x >> 60) / 15;
			weight[i] = 0.5 + (double)(x >> 40 & 3) / 2;
			if ((x >> 50 & 7) == 0)
				p[i] = NAN;
		}
		stats_benjamini_hochberg(p, turn % 2 ? weight : NULL, q, n);
		for (size_t i = 0; i < n; i++) {
			double least = 1, mine = p[i] / (turn % 2 ? weight[i] : 1);
			size_t m = 0;

			assert_int_equal(isnan(q[i]), isnan(p[i]));
			for (size_t k = 0; k < n; k++)
				m += isnan(p[k]) ? 0 : 1;
			for (size_t k = 0; k < n && !isnan(p[i]); k++) {
				double its = p[k] / (turn % 2 ? weight[k] : 1);
				size_t rank = 0;

				for (size_t j = 0; j < n; j++)
					rank += p[j] / (turn % 2 ? weight[j] : 1) <= its;
				if (its >= mine)
					least = fmin(least, its * (double)m / (double)rank);
			}
			if (!isnan(p[i]))
				assert_near(q[i], fmax(least, p[i]), 1e-12);
		}
	}
}

/*
 * Of eight ratios with few degrees of freedom, the prior has the mean and variance of their
 * logarithms that Smyth (2004, section 6.2) equates.
 */
static void a_prior_has_the_moments_of_its_ratios(void **state)
{
	static const double ratio[] = { 0.1, 9, 0.5, 3, 1, 7, 0.02, 2 };
	static const double df[] = { 3, 40, 20, 5, 60, 30, 8, 9 };
	double e[8], mean = 0, variance = 0, d = 0;
	struct stats_prior prior = stats_prior_fit(ratio, df, 8);

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		e[i] = log(ratio[i]) - stats_digamma(df[i] / 2) + log(df[i] / 2);
		mean += e[i] / 8;
	}
	for (size_t i = 0; i < 8; i++)
		variance += (e[i] - mean) * (e[i] - mean) / 7 - stats_trigamma(df[i] / 2) / 8;
	assert_true(variance > 0.1);
	assert_near(stats_trigamma(prior.df / 2) / variance, 1, 1e-7);
	assert_near(log(prior.ratio), mean + stats_digamma(prior.df / 2) - log(prior.df / 2),
		    1e-12);
	prior = stats_prior_fit(ratio, df, 7);
	assert_true(prior.ratio == 1 && prior.df == 0);
	assert_near(stats_moderate((struct stats_prior){ 3, 0.25 }, 5, 0.5, &d), 13.0 / 3, 1e-12);
	assert_near(d, 0.75, 0);
	assert_near(stats_moderate((struct stats_prior){ 3, 0 }, 5, 0, &d), 5, 0);
}

static void ratios_near_zero_are_taken_as_a_fiftieth(void **state)
{
	static const double low[] = { 0, 1, 2, 3, 4, 5, 6, 7 },
			    least[] = { 0.02, 1, 2, 3, 4, 5, 6, 7 };
	static const double above[] = { 0.021, 1, 2, 3, 4, 5, 6, 7 };
	static const double df[] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	struct stats_prior a = stats_prior_fit(low, df, 8), b = stats_prior_fit(least, df, 8);
	struct stats_prior c = stats_prior_fit(above, df, 8);

	(void)state;
	assert_true(a.ratio == b.ratio && a.df == b.df);
	assert_true(c.ratio != b.ratio);
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
		cmocka_unit_test(incomplete_beta_is_the_tail_of_a_binomial),
		cmocka_unit_test(t_has_its_closed_forms_and_its_limit),
		cmocka_unit_test(exact_limits_leave_half_of_alpha_on_each_side),
		cmocka_unit_test(polygamma_functions_follow_their_recurrence),
		cmocka_unit_test(limits_of_rates_and_tests_of_nothing),
		cmocka_unit_test(counts_below_sixty_are_also_tested_exactly),
		cmocka_unit_test(shares_are_tested_by_their_pooled_variance),
		cmocka_unit_test(equal_runs_differ_certainly_or_not_at_all),
		cmocka_unit_test(the_number_of_runs_is_the_first_that_suffices),
		cmocka_unit_test(more_runs_than_the_limit_are_none),
		cmocka_unit_test(corrected_p_values_are_the_least_of_those_above),
		cmocka_unit_test(a_prior_has_the_moments_of_its_ratios),
		cmocka_unit_test(ratios_near_zero_are_taken_as_a_fiftieth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
