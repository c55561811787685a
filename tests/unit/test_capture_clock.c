/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/capture_clock.h"
#include "core/dossier.h"

/* A recording of @format with the note "reference time"; NULL: without it. */
static const struct capture *recording(struct dossier *d, const char *format, const char *reference)
{
	struct capture *c = dossier_add(d, format);

	if (reference)
		capture_note(c, STR("reference time"), str_of(reference), 0);
	return c;
}

static void a_reference_gives_the_time_of_day(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = recording(
		d, "perf-data", "1700000000.250000000 (UTC) = 5000000000 ns of that clock");
	uint64_t day = 0;

	(void)state;
	assert_true(capture_clock_day(c, 5000000000, &day));
	assert_true(day == UINT64_C(1700000000250000000));
	assert_true(capture_clock_day(c, 6000000001, &day));
	assert_true(day == UINT64_C(1700000001250000001));
	/* a sample from before the reference */
	assert_true(capture_clock_day(c, 4000000000, &day));
	assert_true(day == UINT64_C(1699999999250000000));
}

static void times_since_boot_are_no_times_of_day(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = recording(d, "perf-data", NULL);
	const struct capture *other = recording(d, "folded", NULL);
	uint64_t day = 0;

	(void)state;
	assert_false(capture_clock_day(c, CAPTURE_CLOCK_DAY_NS - 1, &day));
	assert_true(capture_clock_day(c, CAPTURE_CLOCK_DAY_NS, &day));
	assert_true(day == CAPTURE_CLOCK_DAY_NS);
	assert_false(capture_clock_day(other, CAPTURE_CLOCK_DAY_NS, &day));
}

static void a_broken_reference_is_none(void **state)
{
	static const char *const broken[] = {
		"1700000000 (UTC) = 5 ns of that clock",
		"1700000000.1000000000 (UTC) = 5 ns of that clock",
		"1700000000.250000000 (UTC)",
		"99999999999999999999.0 (UTC) = 5 ns of that clock",
	};
	uint64_t day = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();

		assert_false(capture_clock_day(recording(d, "perf-data", broken[i]), 5, &day));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reference_gives_the_time_of_day),
		cmocka_unit_test(times_since_boot_are_no_times_of_day),
		cmocka_unit_test(a_broken_reference_is_none),
	};

	return cmocka_run_group_tests_name("capture_clock", tests, NULL, NULL);
}
