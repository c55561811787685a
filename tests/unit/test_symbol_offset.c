/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/str.h"
#include "core/names/symbol_offset.h"

static void an_offset_of_the_size_is_past_the_end(void **state)
{
	(void)state;
	assert_false(symbol_offset_is_past_end(STR("+0x1f/0x20")));
	assert_true(symbol_offset_is_past_end(STR("+0x20/0x20")));
	assert_true(symbol_offset_is_past_end(STR("+0x21/0x20 [dockmod]")));
}

static void an_offset_without_a_size_says_nothing(void **state)
{
	(void)state;
	assert_false(symbol_offset_is_past_end(STR("+0x20")));
	assert_false(symbol_offset_is_past_end(STR("+0x20/")));
	assert_false(symbol_offset_is_past_end(STR("+0x0/0x0"))); /* the size is unknown */
	assert_false(symbol_offset_is_past_end(STR(" (mm/quay.c:12)")));
	assert_false(symbol_offset_is_past_end(STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offset_of_the_size_is_past_the_end),
		cmocka_unit_test(an_offset_without_a_size_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
