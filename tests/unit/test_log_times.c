/* SPDX-License-Identifier: MIT */
/* Durations and bursts in the records of a log. */
#include "unit.h"

#include "explain/findings.h"
#include "lines.h"

#include "analyses/logs/log_durations.h"
#include "base/status.h"
#include "base/str.h"

#include <stdio.h>

static unsigned int sequence;

static void record(unsigned int ms, const char *level, const char *message)
{
	lines_add("2024-03-05T10:%02u:%02u.%03uZ|%05u|inc_proc_eng|%s|%s", ms / 60000,
		  ms / 1000 % 60, ms % 1000, ++sequence, level, message);
}

/* The claim of @rule; "": no finding. */
static const char *said(const char *rule)
{
	static char ret[1100];
	enum finding_severity severity;
	char claim[1024];

	ret[0] = '\0';
	if (lines_find(rule, "", claim, sizeof(claim), &severity))
		(void)snprintf(ret, sizeof(ret), "%s: %s",
			       severity == FINDING_NOTE ? "note" : "warning", claim);
	sequence = 0;
	return ret;
}

static void a_duration_has_a_unit_and_a_word_that_says_so(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns, half_ns;
	} cases[] = {
		{ "node: lflow, recompute took 2493ms", 2493000000, 500000 },
		{ "Unreasonably long 5880ms poll interval (10ms user, 2ms system)", 5880000000,
		  500000 },
		{ "sync took 1.25 s", 1250000000, 5000000 },
		{ "probe of 1-2 returned 0 after 1234 usecs", 1234000, 500 },
		{ "term 2: 1737 ms timeout expired, starting election", 0, 0 },
		{ "took 12 samples", 0, 0 },
		{ "took 2 msecs", 2000000, 500000 },
		{ "took 3 milliseconds", 3000000, 500000 },
		{ "took 4 usecs", 4000, 500 },
		{ "took 5 microseconds", 5000, 500 },
		{ "took 6 us", 6000, 500 },
		{ "took 7 ns.", 7, 0 },
		{ "took 8 seconds", 8000000000, 500000000 },
		{ "took 9 secs", 9000000000, 500000000 },
		{ "took 1 sec", 1000000000, 500000000 },
		{ "took 1000000 s", 1000000000000000, 500000000 },
		{ "took 1000001 s", 0, 0 },
		{ "disk sda1s took over", 0, 0 },
		{ "runs every 500 ms, took over", 0, 0 },
	};
	struct log_duration d;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool is_duration = log_duration_of(str_of(cases[i].text), &d);

		assert_int_equal(is_duration, cases[i].ns != 0);
		assert_true(!is_duration || d.ns == cases[i].ns);
		assert_true(!is_duration || d.half_ns == cases[i].half_ns);
	}
}

/* Three parts of 636, 2493 and 2257 ms, one after the other, in a whole of @whole ms. */
static const char *parts(unsigned int whole)
{
	char line[128];

	record(10636, "INFO", "node: northd, handler took 636ms");
	record(13129, "INFO", "node: lflow, recompute took 2493ms");
	record(15386, "INFO", "node: SB_output, run took 2257ms");
	(void)snprintf(line, sizeof(line), "Unreasonably long %ums poll interval", whole);
	record(15388, "WARN", line);
	return said("duration-parts");
}

static void the_largest_part_of_a_long_duration_is_named_and_the_rest_counted(void **state)
{
	const char *claim;

	(void)state;
	claim = parts(5880);
	assert_non_null(strstr(claim, "warning: One step takes 2493 of 5880 ms (42.4 %): 'node: "
				      "lflow, recompute took'"));
	assert_non_null(strstr(claim, "636 ms + 2493 ms + 2257 ms, together 5386 of 5880 ms"));
	assert_non_null(strstr(claim, "494 ms are in no printed part"));
}

static void parts_explain_half_of_the_whole(void **state)
{
	(void)state;
	assert_string_not_equal(parts(10770), "");
	assert_string_equal(parts(10780), "");
	/* the first part begins before the whole, so it is not counted */
	assert_non_null(strstr(parts(5300), ". 2493 ms + 2257 ms, together 4750 of 5300 ms"));
}

static const char *one_part(unsigned int part, unsigned int whole)
{
	char line[128];

	(void)snprintf(line, sizeof(line), "node: lflow, recompute took %ums", part);
	record(13000, "INFO", line);
	(void)snprintf(line, sizeof(line), "iteration took %ums", whole);
	record(13001, "INFO", line);
	return said("duration-parts");
}

static void a_whole_counts_from_a_hundred_milliseconds_and_warns_from_a_second(void **state)
{
	(void)state;
	assert_string_equal(one_part(80, 99), "");
	assert_memory_equal(one_part(80, 100), "note", 4);
	assert_memory_equal(one_part(800, 999), "note", 4);
	assert_memory_equal(one_part(800, 1000), "warn", 4);
}

static void nested_durations_count_once_and_parallel_ones_do_not_add_up(void **state)
{
	(void)state;
	record(12000, "INFO", "inner step took 900ms");
	record(12100, "INFO", "outer step took 1100ms");
	record(12150, "INFO", "iteration took 1200ms");
	assert_non_null(strstr(said("duration-parts"), ". 1100 ms, 1100 of 1200 ms"));
	record(12100, "INFO", "worker one took 1000ms");
	record(12110, "INFO", "worker two took 1000ms");
	record(12150, "INFO", "iteration took 1200ms");
	assert_non_null(strstr(said("duration-parts"), ". 1000 ms, 1000 of 1200 ms"));
}

/* @n messages in half a second, and @rest others in ten minutes. */
static const char *burst(unsigned int n, unsigned int rest, const char *level)
{
	record(0, "INFO", "the log begins here");
	for (unsigned int i = 0; i < rest; i++)
		record(1000 + i * 20000, level, "lost connection to peer 7");
	for (unsigned int i = 0; i < n; i++)
		record(590000 + i * 500 / n, level, "lost connection to peer 8");
	record(600000, "INFO", "the log ends here");
	return said("message-burst");
}

static void twenty_messages_in_a_second_are_a_burst(void **state)
{
	(void)state;
	assert_string_equal(burst(19, 0, "WARN"), "");
	assert_non_null(strstr(burst(20, 0, "WARN"),
			       "warning: 20 of 20 messages 'lost connection to "
			       "peer <n>' come within"));
	assert_memory_equal(burst(20, 29, "INFO"), "note", 4);
}

static void a_burst_has_ten_times_the_rate_elsewhere(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		/*
		 * 20 messages in a window of 10 s are 2 per second; the other 590 s have one every
		 * @step ms
		 */
		unsigned int step = i ? 6000 : 4400;

		record(0, "INFO", "the log begins here");
		for (unsigned int at = 0; at < 580000; at += step)
			record(at, "INFO", "lost connection to peer 7");
		for (unsigned int n = 0; n < 20; n++)
			record(590000 + n * 500, "INFO", "lost connection to peer 8");
		record(600000, "INFO", "the log ends here");
		assert_int_equal(said("message-burst")[0] != '\0', i == 1);
	}
}

static void a_log_that_is_no_longer_than_the_burst_shows_none(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		for (unsigned int n = 0; n < 30; n++)
			record(n * 30, "INFO", "lost connection to peer 8");
		record(i ? 10100 : 9900, "INFO", "the log ends here");
		assert_int_equal(said("message-burst")[0] != '\0', i == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_duration_has_a_unit_and_a_word_that_says_so),
		cmocka_unit_test(the_largest_part_of_a_long_duration_is_named_and_the_rest_counted),
		cmocka_unit_test(parts_explain_half_of_the_whole),
		cmocka_unit_test(
			a_whole_counts_from_a_hundred_milliseconds_and_warns_from_a_second),
		cmocka_unit_test(nested_durations_count_once_and_parallel_ones_do_not_add_up),
		cmocka_unit_test(twenty_messages_in_a_second_are_a_burst),
		cmocka_unit_test(a_burst_has_ten_times_the_rate_elsewhere),
		cmocka_unit_test(a_log_that_is_no_longer_than_the_burst_shows_none),
	};

	return cmocka_run_group_tests_name("log_times", tests, NULL, NULL);
}
