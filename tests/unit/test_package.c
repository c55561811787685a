/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/names/package.h"

static void packages_before_a_class_are_left_out(void **state)
{
	(void)state;
	assert_str(package_strip(STR("org.harbour.depot.Depot.stop")), "Depot.stop");
	assert_str(package_strip(STR("java.util.concurrent.locks.ReentrantLock$NonfairSync")),
		   "ReentrantLock$NonfairSync");
	assert_str(package_strip(STR("com.acme2.my_tools.Crane")), "Crane");
}

static void other_names_stay(void **state)
{
	static const char *const names[] = {
		"main.fill", /* a package of Go */
		"net/http.(*Server).Serve",
		"depot.Crane",        /* may be a variable */
		"org.harbour.depot.", /* no class */
		"org.harbour.depot.stop",
		"libc.so.6",
		"",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_str(package_strip(str_of(names[i])), names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages_before_a_class_are_left_out),
		cmocka_unit_test(other_names_stay),
	};

	return cmocka_run_group_tests_name("package", tests, NULL, NULL);
}
