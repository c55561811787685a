/* SPDX-License-Identifier: MIT */
/* The rate or duration that is suggested after a recording, just below and above its thresholds. */
#include "unit.h"

#include "record/perf/record.h"

static char program[] = "x";
static char clock_name[] = "cpu-clock";
static char dummy_name[] = "dummy:u";
static char faults_name[] = "page-faults";
static char *command[] = { program, NULL };

static struct record_result recorded(uint64_t samples, uint64_t lost, uint64_t ms)
{
	static char *names[] = { clock_name, dummy_name };
	struct record_result r = { .counts = { samples, lost, 0, ms * 1000000 }, .frequency = 997 };

	r.events.data = names;
	r.events.len = 2;
	return r;
}

static const char *hint(bool has_command, struct record_result r, uint64_t most)
{
	static char text[RECORD_HINT_BYTES];
	struct record_spec spec = { .argv = has_command ? command : NULL };

	return record_hint(&spec, &r, most, text) ? text : "";
}

static void a_recording_with_enough_samples_gets_none(void **state)
{
	(void)state;
	assert_string_equal(hint(true, recorded(400, 0, 1000), 0), "");
	assert_string_equal(hint(true, recorded(399, 0, 1000), 0),
			    "only 399 samples; ranking functions takes 400: record with -F 1999");
	/* without samples, no rate is suggested */
	assert_string_equal(hint(true, recorded(0, 0, 1000), 0), "");
}

static void a_command_gets_a_rate_within_the_kernels_limit(void **state)
{
	(void)state;
	assert_non_null(strstr(hint(true, recorded(100, 0, 1000), 100000), "-F 4999"));
	assert_non_null(strstr(hint(true, recorded(100, 0, 1000), 4999), "-F 4999"));
	assert_non_null(strstr(hint(true, recorded(100, 0, 1000), 4998), "-F 1999"));
	assert_non_null(strstr(hint(true, recorded(1, 0, 1000), 100000), "1 sample;"));
	assert_non_null(strstr(hint(true, recorded(1, 0, 1000), 100000), "-F 9997"));
	assert_string_equal(hint(true, recorded(100, 0, 1000), 997), "");
}

static void a_process_gets_a_duration_up_to_a_minute_and_then_a_rate_as_well(void **state)
{
	(void)state;
	/* 100 samples a second: 480 take 5 s */
	assert_non_null(strstr(hint(false, recorded(100, 0, 1000), 0), "record with --for 5s"));
	assert_non_null(strstr(hint(false, recorded(80, 0, 10000), 0), "record with --for 61s"));
	/* 480 samples take 61.5 s at 997 Hz, 12.3 s at 4999 Hz and 6.1 s at 9997 Hz */
	assert_non_null(strstr(hint(false, recorded(78, 0, 10000), 0), "record with -F 9997"));
	assert_non_null(
		strstr(hint(false, recorded(10, 0, 10000), 0), "record with -F 9997 --for 48s"));
	/* more than an hour is not suggested */
	assert_string_equal(hint(false, recorded(1, 0, 100000), 0), "");
}

static void lost_samples_ask_for_a_rate_that_fits(void **state)
{
	(void)state;
	assert_string_equal(hint(true, recorded(9901, 99, 1000), 0), "");
	assert_string_equal(hint(true, recorded(9900, 100, 1000), 0),
			    "1 % of the samples are lost: record with -F 499");
	/* 997 Hz * 60 % * 0.9 = 538 Hz, 997 Hz * 55 % * 0.9 = 493 Hz */
	assert_non_null(strstr(hint(true, recorded(600, 400, 1000), 0), "-F 499"));
	assert_non_null(strstr(hint(true, recorded(550, 450, 1000), 0), "-F 199"));
}

static void throttling_asks_for_half_the_rate(void **state)
{
	struct record_result r = recorded(1000, 0, 1000);

	(void)state;
	r.throttled = 3;
	r.frequency = 9997;
	assert_non_null(strstr(hint(true, r, 0), "3 times"));
	assert_non_null(strstr(hint(true, r, 0), "-F 1999"));
	r.frequency = 9998;
	assert_non_null(strstr(hint(true, r, 0), "-F 4999"));
	r.frequency = 97;
	assert_string_equal(hint(true, r, 0), "");
}

static void periods_several_events_and_windows_get_none(void **state)
{
	static char *names[] = { clock_name, faults_name };
	struct record_result r = recorded(10, 0, 1000);
	struct record_spec ring = { .argv = command, .keep_ns = 1 };
	char text[RECORD_HINT_BYTES];

	(void)state;
	assert_false(record_hint(&ring, &r, 0, text));
	r.frequency = 0;
	assert_string_equal(hint(true, r, 0), "");
	r.frequency = 997;
	r.events.data = names;
	assert_string_equal(hint(true, r, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_with_enough_samples_gets_none),
		cmocka_unit_test(a_command_gets_a_rate_within_the_kernels_limit),
		cmocka_unit_test(a_process_gets_a_duration_up_to_a_minute_and_then_a_rate_as_well),
		cmocka_unit_test(lost_samples_ask_for_a_rate_that_fits),
		cmocka_unit_test(throttling_asks_for_half_the_rate),
		cmocka_unit_test(periods_several_events_and_windows_get_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
