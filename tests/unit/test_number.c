/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/number.h"

static void sums_stop_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(number_sum(2, 3), 5);
	assert_int_equal(number_sum(UINT64_MAX - 1, 1), UINT64_MAX);
	assert_int_equal(number_sum(UINT64_MAX, 1), UINT64_MAX);
}

static void whole_numbers_stay_in_range(void **state)
{
	(void)state;
	assert_int_equal(number_whole(2.999), 2);
	assert_int_equal(number_whole(0), 0);
	assert_int_equal(number_whole(-1), 0);
	assert_int_equal(number_whole((double)NAN), 0);
	/* the largest double below 2^64 */
	assert_true(number_whole(0x1.fffffffffffffp63) == UINT64_MAX - 2047);
	assert_true(number_whole(0x1p64) == UINT64_MAX);
	assert_true(number_whole((double)INFINITY) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_stop_at_the_end),
		cmocka_unit_test(whole_numbers_stay_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
