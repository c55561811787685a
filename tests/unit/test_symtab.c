/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/str.h"
#include "symbols/symtab.h"

#include "config.h"

static bool shown_is(bool is_demangled, const char *first, const char *second, const char *want)
{
	struct symtab t = { .names = { 0 } };
	struct symtab_entry *e;
	bool is_it;

	symtab_add(&t, 0x1000, 16, str_of(first), SYMTAB_GLOBAL);
	symtab_add(&t, 0x1000, 16, str_of(second), SYMTAB_GLOBAL);
	symtab_finish(&t, is_demangled);
	e = symtab_find(&t, 0x1008);
	is_it = e && str_eq(symtab_name(&t, e), str_of(want));
	symtab_fini(&t);
	return is_it;
}

static void of_two_names_the_one_with_fewer_underscores_or_the_longer_is_shown(void **state)
{
	(void)state;
	assert_true(shown_is(true, "__read", "read", "read"));
	assert_true(shown_is(true, "read", "__read", "read"));
	assert_true(shown_is(true, "memcpy", "memmove_erms", "memmove_erms"));
	assert_true(shown_is(false, "SyS_read", "sys_read", "sys_read"));
}

static void names_that_are_shown_demangled_are_compared_demangled(void **state)
{
	(void)state;
	if (!HAVE_LIBIBERTY)
		SKIP_TEST("this build demangles nothing");
	/* operator delete[] is longer than operator delete, for any mangled names */
	assert_true(shown_is(true, "_ZdlPvSt11align_val_t", "_ZdaPv", "_ZdaPv"));
	assert_true(shown_is(true, "cfree", "_ZdaPv", "_ZdaPv"));
	assert_true(shown_is(false, "cfree", "_ZdaPv", "cfree"));
	/* constructors of one class look the same: the first stays */
	assert_true(shown_is(true, "_ZN5shapeC1Ev", "_ZN5shapeC2Ev", "_ZN5shapeC1Ev"));
	assert_true(shown_is(true, "_ZN5shapeC2Ev", "_ZN5shapeC1Ev", "_ZN5shapeC2Ev"));
	assert_true(shown_is(true, "_ZN5shapeD2Ev", "_ZN5shapeD1Ev", "_ZN5shapeD2Ev"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			of_two_names_the_one_with_fewer_underscores_or_the_longer_is_shown),
		cmocka_unit_test(names_that_are_shown_demangled_are_compared_demangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
