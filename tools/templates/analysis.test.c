/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/@FAMILY/@@SNAKE@.h"
#include "base/status.h"
#include "core/dossier.h"
#include "profiles.h"

static void samples_and_printed_rows_have_the_same_share(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *printed = dossier_add(d, "made");
	struct @SNAKE@ got;

	(void)state;
	@SNAKE@_compute(profile_of_folded(d, "db;main;read 3\ndb;main;write 1\n"), &got);
	assert_near(got.pct, 75, 1e-9);
	(void)profile_add_row(d, printed, "db", "db", '.', "read", UINT64_MAX, 7500);
	(void)profile_add_row(d, printed, "db", "db", '.', "write", UINT64_MAX, 2500);
	@SNAKE@_compute(printed, &got);
	assert_near(got.pct, 75, 1e-9);
	assert_near(got.err, 0.005, 1e-9);
}

static void a_capture_without_a_profile_has_none(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct @SNAKE@ got;

	(void)state;
	@SNAKE@_compute(dossier_add(d, "made"), &got);
	assert_near(got.pct, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_and_printed_rows_have_the_same_share),
		cmocka_unit_test(a_capture_without_a_profile_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
