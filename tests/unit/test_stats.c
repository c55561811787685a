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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wilson_is_as_published),
		cmocka_unit_test(percentages_become_counts_where_they_can),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
