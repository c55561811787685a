/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/known_cases.h"
#include "explain/rule.h"

DECLARE_RULE(thread_deadlock);
DECLARE_RULE(two_profiles);

static void eight_cases_of_which_half_are_right_suffice(void **state)
{
	(void)state;
	assert_true(known_cases_suffice(KNOWN_CASES_MIN, KNOWN_CASES_MIN));
	assert_false(known_cases_suffice(KNOWN_CASES_MIN - 1, KNOWN_CASES_MIN - 1));
	assert_true(known_cases_suffice(100, 50));
	assert_false(known_cases_suffice(100, 49));
}

static unsigned int capped(const struct rule *rule, unsigned int sure)
{
	struct rule_input in = { .capture = NULL };
	struct findings f = { .rows = VEC_INIT };
	unsigned int result;

	(void)finding_add(&f, &in, rule, FINDING_NOTE, sure);
	known_cases_cap(&f);
	result = f.rows.data[0].sure;
	findings_fini(&f);
	return result;
}

static void a_rule_without_cases_is_at_most_75_percent_sure(void **state)
{
	struct rule rule = { .id = "no-such-rule" };

	(void)state;
	assert_int_equal(capped(&rule, 74), 74);
	assert_int_equal(capped(&rule, 75), 75);
	assert_int_equal(capped(&rule, 76), 75);
	assert_int_equal(capped(&rule, FINDING_CERTAIN - 1), 75);
}

static void a_certain_finding_follows_from_the_data_and_needs_no_cases(void **state)
{
	struct rule rule = { .id = "no-such-rule" };

	(void)state;
	assert_int_equal(capped(&rule, FINDING_CERTAIN), FINDING_CERTAIN);
}

static void a_rule_that_states_the_input_or_judges_the_recording_needs_no_cases(void **state)
{
	struct rule measured = { .id = "no-such-rule", .is_measured = true };
	struct rule data = { .id = "no-such-rule", .is_about_data = true };
	struct rule names = { .id = "no-such-rule", .is_about_names = true };

	(void)state;
	assert_int_equal(capped(&measured, 94), 94);
	assert_int_equal(capped(&data, 94), 94);
	assert_int_equal(capped(&names, 94), 94);
}

static void a_rule_with_enough_cases_says_what_it_computes(void **state)
{
	(void)state;
	assert_int_equal(capped(&rule_thread_deadlock, 90), 90);
	/* many cases, but too few of them are right */
	assert_int_equal(capped(&rule_two_profiles, 90), 75);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_cases_of_which_half_are_right_suffice),
		cmocka_unit_test(a_rule_without_cases_is_at_most_75_percent_sure),
		cmocka_unit_test(
			a_rule_that_states_the_input_or_judges_the_recording_needs_no_cases),
		cmocka_unit_test(a_certain_finding_follows_from_the_data_and_needs_no_cases),
		cmocka_unit_test(a_rule_with_enough_cases_says_what_it_computes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
