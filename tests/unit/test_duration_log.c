/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/distribution.h"
#include "document/document.h"
#include "formats/format.h"

DECLARE_FORMAT(duration_log);

static void two_lines_of_a_collector_are_a_log(void **state)
{
	static const char one[] = "[1.5s][info][gc] GC(0) Pause Full (Ergonomics) "
				  "23M->4M(256M) 5.123ms\n";
	char two[2 * sizeof(one)];
	struct extent e;

	(void)state;
	memcpy(two, one, sizeof(one) - 1);
	memcpy(two + sizeof(one) - 1, one, sizeof(one));
	assert_false(format_duration_log.find(STR(one), 0, &e));
	assert_true(format_duration_log.find(str_of(two), 0, &e));
}

static void rows_need_the_titles_of_their_tool(void **state)
{
	struct extent e;

	(void)state;
	assert_true(format_duration_log.find(STR("TIME COMM TID LAT(us)\n04:16:32 cc1 12924 12739\n"
						 "04:16:32 sh 13640 12118\n"),
					     0, &e));
	assert_false(format_duration_log.find(STR("04:16:32 cc1 12924 12739\n"
						  "04:16:32 sh 13640 12118\n"),
					      0, &e));
	assert_false(format_duration_log.find(STR("TIME COMM TID LAT(us)\nprose\nprose\n"), 0, &e));
}

static void a_blank_line_may_follow_the_titles(void **state)
{
	struct extent e;

	(void)state;
	assert_true(
		format_duration_log.find(STR("TIME COMM TID LAT(us)\n\n04:16:32 cc1 12924 12739\n"
					     "04:16:32 sh 13640 12118\n"),
					 0, &e));
	assert_int_equal(e.from, 0);
	assert_false(format_duration_log.find(STR("TIME COMM TID LAT(us)\n\n\n"
						  "04:16:32 cc1 12924 12739\n"
						  "04:16:32 sh 13640 12118\n"),
					      0, &e));
}

static void iosnoop_prints_times_of_requests_on_demand(void **state)
{
	static const char *const texts[] = {
		"COMM PID TYPE DEV BLOCK BYTES LATms\nkeeper 18 W 8,16 1703 4096 1.32\n"
		"jbd2/sdb1-8 21 WS 8,16 1704 4096 0.32\n",
		"STARTs COMM PID TYPE DEV BLOCK BYTES LATms\n1.5 keeper 18 W 8,16 1703 4096 1.32\n"
		"1.6 keeper 18 W 8,16 1704 4096 0.32\n",
		"ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n1.5 keeper 18 W 8,16 1703 4096 1.32\n"
		"1.6 keeper 18 W 8,16 1704 4096 0.32\n",
		"STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
		"1.5 1.6 keeper 18 W 8,16 1703 4096 1.32\n1.6 1.7 keeper 18 W 8,16 1704 4096 "
		"0.32\n",
		/* only with both times, rows need no titles */
		"1.5 1.6 keeper 18 W 8,16 1703 4096 1.32\n1.6 1.7 keeper 18 W 8,16 1704 4096 "
		"0.32\n",
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_true(format_duration_log.find(str_of(texts[i]), 0, &e));
	assert_false(format_duration_log.find(STR("keeper 18 W 8,16 1703 4096 1.32\n"
						  "keeper 18 W 8,16 1704 4096 0.32\n"),
					      0, &e));
}

static void equal_durations_share_a_bucket_of_their_kind(void **state)
{
	static const char text[] = "TIME COMM TID LAT(us)\n04:16:32 cc1 12924 200\n"
				   "04:16:32 sh 13640 100\n04:16:33 cc1 12924 100\n"
				   "04:16:34 cc1 12924 200\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = STR(text), .first_line = 1 };
	const struct distribution *k;

	(void)state;
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_duration_log.read(&in, d, NULL), OK);
	k = d->captures.data[0]->distribution;
	assert_int_equal(k->series.len, 2);
	assert_int_equal(k->series.data[0].count, 3);
	assert_int_equal(k->series.data[0].n_buckets, 2);
	assert_int_equal(k->buckets.data[1].count, 2);
	assert_int_equal((int)k->buckets.data[1].low, 199500);
	assert_int_equal((int)k->buckets.data[1].high, 200500);
}

static double span_of(const char *text)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_duration_log.read(&in, d, NULL), OK);
	return d->captures.data[0]->distribution->span_ns;
}

#define PAUSE(stamp, ms) \
	"[" stamp "s][info][gc] GC(0) Pause Full (Ergonomics) 23M->4M(256M) " ms "ms\n"

static void the_span_has_all_pauses(void **state)
{
	(void)state;
	assert_int_equal((long)(span_of(PAUSE("1.500", "500.000") PAUSE("4.000", "8.000")) / 1e6),
			 3000);
	assert_int_equal((long)(span_of("2.000: [Full GC (Ergonomics) 9K->1K(25K), 0.5 secs]\n"
					"3.000: [Full GC (Ergonomics) 9K->1K(25K), 0.25 secs]\n") /
				1e6),
			 1250);
}

static void a_clock_that_goes_back_has_no_span(void **state)
{
	(void)state;
	assert_int_equal((long)span_of(PAUSE("1.5", "5.0") PAUSE("1.2", "8.0") PAUSE("9.0", "8.0")),
			 0);
	assert_int_equal((long)span_of("TIME COMM TID LAT(us)\n04:16:32 cc1 12924 200\n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_lines_of_a_collector_are_a_log),
		cmocka_unit_test(rows_need_the_titles_of_their_tool),
		cmocka_unit_test(a_blank_line_may_follow_the_titles),
		cmocka_unit_test(iosnoop_prints_times_of_requests_on_demand),
		cmocka_unit_test(equal_durations_share_a_bucket_of_their_kind),
		cmocka_unit_test(the_span_has_all_pauses),
		cmocka_unit_test(a_clock_that_goes_back_has_no_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
