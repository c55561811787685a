/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/stats.h"

#include <math.h>

static bool near(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

static void wilson_is_as_published(void **state)
{
	/* 35 of 67: 40.49 to 63.75 %; 9 of 32: 15.56 to 45.37 % */
	struct interval i = stats_wilson(35, 67, STATS_Z95);

	(void)state;
	assert_true(near(i.low, 40.49, 0.005) && near(i.high, 63.75, 0.005));
	i = stats_wilson(9, 32, STATS_Z95);
	assert_true(near(i.low, 15.56, 0.005) && near(i.high, 45.37, 0.005));
	i = stats_wilson(0, 10, STATS_Z95);
	assert_true(i.low == 0 && near(i.high, 27.75, 0.01));
	i = stats_wilson(10, 10, STATS_Z95);
	assert_true(near(i.high, 100, 1e-9) && near(i.low, 72.25, 0.01));
	i = stats_wilson(0, 0, STATS_Z95);
	assert_true(i.low == 0 && i.high == 100);
}

static void percentages_become_counts_where_they_can(void **state)
{
	uint64_t k, high;

	(void)state;
	for (uint64_t n = 1; n <= 67; n++) {
		double pct = round(10000.0 * (double)n / 67) / 100;

		assert_true(stats_count_of(pct, 0.005, 67, &k));
		assert_int_equal(k, n);
	}
	assert_false(stats_count_of(50.55, 0.005, 67, &k));
	assert_false(stats_count_of(0.50, 0.005, 73000, &k));
	assert_true(stats_count_range(0.50, 0.005, 73000, &k, &high));
	assert_int_equal(k, 362);
	assert_int_equal(high, 368);
	assert_true(stats_count_of(0, 0.005, 67, &k));
	assert_int_equal(k, 0);
	assert_true(stats_count_of(100, 0.005, 67, &k));
	assert_int_equal(k, 67);
	/* 1 of 800 is 0.125, printed 0.12 or 0.13 */
	assert_true(stats_count_of(0.12, 0.005, 800, &k));
	assert_int_equal(k, 1);
	assert_true(stats_count_of(0.13, 0.005, 800, &k));
	assert_int_equal(k, 1);
}

/* The limits are the roots of (p - m)^2 = z^2 m (1 - m) / n, on both sides of p, within 0 and 1. */
static void wilson_limits_are_the_roots_of_their_equation(void **state)
{
	(void)state;
	for (int n = 1; n <= 12; n++) {
		for (int k = 0; k <= n; k++) {
			struct interval i = stats_wilson(k, n, 2);
			double p = (double)k / n;

			for (int side = 0; side < 2; side++) {
				double m = (side ? i.high : i.low) / 100;

				assert_true(near((p - m) * (p - m), 4 * m * (1 - m) / n, 1e-12));
			}
			assert_true(i.low >= 0 && i.low <= 100 * p + 1e-9);
			assert_true(i.high <= 100 && i.high >= 100 * p - 1e-9);
			assert_true(near(i.low, 0, 1e-9) == (k == 0));
			assert_true(near(i.high, 100, 1e-9) == (k == n));
		}
	}
}

static void a_share_beyond_all_or_none_is_all_or_none(void **state)
{
	struct interval none = stats_wilson(0, 10, 2), all = stats_wilson(10, 10, 2);
	struct interval less = stats_wilson(-1, 10, 2), more = stats_wilson(11, 10, 2);
	struct interval half = stats_wilson(0.25, 0.5, 2), unknown = stats_wilson(0, -1, 2);

	(void)state;
	assert_true(less.low == none.low && less.high == none.high);
	assert_true(more.low == all.low && more.high == all.high);
	/* half an event: 0.5 +- 2 * sqrt(0.5 + 4) / (0.5 + 4) * sqrt(0.5) / 2 */
	assert_true(near(half.low, 50 - 100 * sqrt(2) / 3, 1e-9));
	assert_true(unknown.low == 0 && unknown.high == 100);
}

/* Of each n to 40: all counts whose share the printed figure can be, found one by one. */
static void a_printed_share_is_all_counts_that_print_so(void **state)
{
	(void)state;
	for (uint64_t n = 1; n <= 40; n++) {
		for (int tenths = -10; tenths <= 1010; tenths += 5) {
			double pct = tenths / 10.0;
			uint64_t low = 77, high = 77, one = 77, first = n + 1, last = 0;

			/* 2000 k / n within the printed figure +- 1 unit of 0.05 % */
			for (uint64_t k = 0; k <= n; k++) {
				int64_t off = (int64_t)(2000 * k) - 2 * tenths * (int64_t)n;

				if (off > (int64_t)n || -off > (int64_t)n)
					continue;
				first = first > n ? k : first;
				last = k;
			}
			assert_int_equal(stats_count_range(pct, 0.05, n, &low, &high), first <= n);
			assert_int_equal(stats_count_of(pct, 0.05, n, &one),
					 first <= n && first == last);
			if (first > n)
				continue;
			assert_int_equal(low, first);
			assert_int_equal(high, last);
			assert_true(first != last || one == first);
		}
	}
}

static void the_tolerance_of_edges_is_far_below_a_printed_digit(void **state)
{
	uint64_t low, high;

	(void)state;
	/* 1e-9 % and 1e-9 of a count are allowed: of 2 that are 51e-9 %, of 1000 1.1e-9 % */
	for (int sign = -1; sign <= 1; sign += 2) {
		assert_true(stats_count_range(50 + sign * 50e-9, 0, 2, &low, &high));
		assert_false(stats_count_range(50 + sign * 52e-9, 0, 2, &low, &high));
		assert_true(stats_count_range(50 + sign * 1.05e-9, 0, 1000, &low, &high));
		assert_false(stats_count_range(50 + sign * 1.15e-9, 0, 1000, &low, &high));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wilson_is_as_published),
		cmocka_unit_test(percentages_become_counts_where_they_can),
		cmocka_unit_test(wilson_limits_are_the_roots_of_their_equation),
		cmocka_unit_test(a_share_beyond_all_or_none_is_all_or_none),
		cmocka_unit_test(a_printed_share_is_all_counts_that_print_so),
		cmocka_unit_test(the_tolerance_of_edges_is_far_below_a_printed_digit),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
