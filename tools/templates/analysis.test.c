/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/@SNAKE@.h"
#include "base/status.h"
#include "core/dossier.h"
#include "profiles.h"

static void samples_are_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct @SNAKE@ got;

	(void)state;
	@SNAKE@_compute(profile_of_folded(d, "db;main;read 3\ndb;main;write 4\n"), &got);
	assert_int_equal(got.samples, 2);
}

static void a_capture_without_a_profile_has_none(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct @SNAKE@ got;

	(void)state;
	@SNAKE@_compute(dossier_add(d, "made"), &got);
	assert_int_equal(got.samples, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_counted),
		cmocka_unit_test(a_capture_without_a_profile_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
