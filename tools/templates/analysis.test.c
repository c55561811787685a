/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/@SNAKE@.h"
#include "base/status.h"
#include "core/dossier.h"
#include "profiles.h"

static void weights_of_named_functions_are_added_up(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct @SNAKE@ got;

	(void)state;
	@SNAKE@_compute(profile_of_folded(d, "db;main;read 3\ndb;main;write 4\n"), &got);
	assert_int_equal(got.weight, 7);
}

static void a_capture_without_a_profile_has_none(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct @SNAKE@ got;

	(void)state;
	@SNAKE@_compute(dossier_add(d, "made"), &got);
	assert_int_equal(got.weight, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_of_named_functions_are_added_up),
		cmocka_unit_test(a_capture_without_a_profile_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
