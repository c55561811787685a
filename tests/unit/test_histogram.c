/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/distributions/spread.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

#include <math.h>

DECLARE_FORMAT(histogram);

static struct dossier *read_text(const char *text)
{
	struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "histogram");
	return d;
}

static const struct distribution *read_of(const struct dossier *d)
{
	return d->captures.data[0]->distribution;
}

static void buckets_of_bcc_have_bounds_unit_and_key(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("disk = vda\n     usecs : count     distribution\n"
				      "  0 -> 1 : 3 |*   |\n  2 -> 3 : 0 |    |\n"
				      "  4 -> 7 : 5 |****|\n"
				      "avg = 3 usecs, total: 24 usecs, count: 8\n");
	const struct distribution *x = read_of(d);

	(void)state;
	assert_int_equal(x->series.len, 1);
	assert_int_equal(x->series.data[0].count, 8);
	assert_str(strings_get(&d->strings, x->series.data[0].key), "disk = vda");
	assert_str(strings_get(&d->strings, x->series.data[0].unit), "ns");
	assert_true(x->buckets.data[2].low == 4000 && x->buckets.data[2].high == 8000);
	assert_true(x->series.data[0].stated_sum == 24000);
}

static void a_bucket_keeps_its_line(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("@us:\n[1]   2 |@@|\n[2, 4)   90 |@@|\n[4, 8)   1 |@|\n");
	struct spread s;

	(void)state;
	spread_compute(d->captures.data[0], 0, &s);
	assert_int_equal(s.series->line, 2);
	assert_int_equal(spread_line(&s, 0), 2);
	assert_int_equal(spread_line(&s, 2000), 3);
	assert_int_equal(spread_line(&s, 4000), 4);
	/* values above the last bucket belong to the line of the series */
	assert_int_equal(spread_line(&s, 9000), 2);
}

static void bounds_have_one_notation(void **state)
{
	static const struct {
		struct spread_bounds b;
		const char *text;
	} cases[] = {
		{ { 64000, 128000 }, "64–128 µs" },
		{ { 0, 2000 }, "0–2 µs" },
		{ { 512000, 1024000 }, "512–1024 µs" },
		{ { 1024000, 2048000 }, "1–2 ms" },
		{ { 16e6, 16e6 }, "16 ms" },
		{ { 16e6, 16.0001e6 }, "16 ms" },
		{ { 16e6, (double)INFINITY }, "> 16 ms" },
		/* up to 10000, both bounds are in one unit; above, each has its own */
		{ { 1e3, 1e7 }, "1–10000 µs" },
		{ { 1e3, 2e9 }, "1 µs–2 s" },
	};
	struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_str(spread_text(&a, cases[i].b, true, STR(""), false), cases[i].text);
	assert_str(spread_text(&a, cases[0].b, true, STR(""), true), "64-128 us");
	assert_str(spread_text(&a, (struct spread_bounds){ 4096, 1048576 }, false, STR("bytes"),
			       false),
		   "4096–1048576 bytes");
	arena_fini(&a);
}

static void buckets_of_older_bcc_have_a_key(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("Bucket disk = 'vda'\n     usecs : count     distribution\n"
				      "  0 -> 1 : 3 |*   |\n  2 -> 3 : 7 |****|\n");

	(void)state;
	assert_str(strings_get(&d->strings, read_of(d)->series.data[0].key), "disk = 'vda'");
}

static void maps_of_bpftrace_are_series_by_key(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("@read_us[a]:\n[1]   2 |@@|\n[2, 4)   2 |@@|\n\n"
				      "@read_us[b]:\n[1K, 2K)   7 |@@|\n[2K, ...)   1 |@|\n\n"
				      "@us[\n    submit_bio+1\n    f+2\n]:\n[8, 16)  4 |@|\n");
	const struct distribution *x = read_of(d);

	(void)state;
	assert_int_equal(x->series.len, 3);
	assert_str(strings_get(&d->strings, x->series.data[1].key), "b");
	assert_true(x->buckets.data[2].low == 1024e3);
	assert_true(isinf(x->buckets.data[3].high));
	assert_str(strings_get(&d->strings, x->series.data[2].key), "submit_bio+1");
}

static void dtrace_and_perf_ftrace_are_dialects(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *t =
		read_text("  worker\n   value  ------------- Distribution ------------- count\n"
			  "   512 |            0\n  1024 |@@@@@@      25\n  2048 |            0\n");
	CLEANUP(dossier_freep)
	struct dossier *p = read_text("#   DURATION     |      COUNT | GRAPH   |\n"
				      "  0 - 1    us |  120 | ###  |\n  1 - ...  ms |  1 |   |\n");

	(void)state;
	assert_str(strings_get(&t->strings, read_of(t)->series.data[0].key), "worker");
	assert_true(read_of(t)->buckets.data[1].high == 2048);
	assert_int_equal(read_of(t)->series.data[0].count, 25);
	assert_true(read_of(p)->buckets.data[1].low == 1e6);
	assert_int_equal(read_of(p)->series.data[0].count, 121);
}

static void a_millisecond_of_perf_is_1024_microseconds(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *p =
		read_text("#   DURATION     |      COUNT | GRAPH   |\n"
			  "  512 - 1024 us |  7 | ###  |\n  1 - 2    ms |  1 |   |\n"
			  "  2 - 4    ms |  2 |   |\n\n"
			  "# statistics  (in usec)\n  total time:    9000\n    avg time:     900\n"
			  "       count:      10\n");
	const struct distribution *d = read_of(p);

	(void)state;
	assert_int_equal(d->buckets.len, 3);
	assert_true(d->buckets.data[1].low == 1024e3 && d->buckets.data[1].high == 2048e3);
	assert_true(d->buckets.data[2].high == 4096e3);
	assert_int_equal(d->series.data[0].count, 10);
	assert_true(d->series.data[0].stated_sum == 9e6);
}

static void percentiles_become_stretches(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *w = read_text("  Latency Distribution\n  50%  1.00ms\n  90%  2.00ms\n"
				      "  99%  70.00ms\n");
	CLEANUP(dossier_freep)
	struct dossier *f = read_text("  clat percentiles (usec):\n"
				      "   |  1.00th=[ 61], 50.00th=[ 92], 99.00th=[5400]\n");
	struct spread s;

	(void)state;
	spread_compute(w->captures.data[0], 0, &s);
	assert_true(s.series->is_relative && s.series->is_percentiles);
	assert_true(s.p50.high == 1e6);
	assert_int_equal(read_of(w)->buckets.data[1].count, 400000);
	assert_int_equal(s.n_modes, 0);
	spread_compute(f->captures.data[0], 0, &s);
	assert_true(s.p50.high == 92e3);
}

static void peaks_need_a_valley_that_is_not_chance(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *two =
		read_text("     usecs : count     distribution\n"
			  "  0 -> 1 : 100 |*|\n  2 -> 3 : 400 |*|\n  4 -> 7 : 30 |*|\n"
			  "  8 -> 15 : 10 |*|\n  16 -> 31 : 90 |*|\n  32 -> 63 : 300 |*|\n");
	CLEANUP(dossier_freep)
	struct dossier *chance =
		read_text("     usecs : count     distribution\n"
			  "  0 -> 1 : 9 |*|\n  2 -> 3 : 4 |*|\n  4 -> 7 : 9 |*|\n");
	struct spread s;

	(void)state;
	spread_compute(two->captures.data[0], 0, &s);
	assert_int_equal(s.n_modes, 2);
	assert_int_equal(s.modes[0].count, 540);
	assert_int_equal(s.modes[1].count, 390);
	assert_true(s.p99.low == 32e3 && s.p99.high == 64e3);
	spread_compute(chance->captures.data[0], 0, &s);
	assert_int_equal(s.n_modes, 1);
}

static void buckets_out_of_order_are_counted(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text("@us:\n[8, 16)  4 |@|\n[4, 8)  4 |@|\n[16, 32)  1 |@|\n");

	(void)state;
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "histogram-order"), 1);
	assert_int_equal(read_of(d)->series.data[0].count, 5);
}

static void prose_and_other_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"key = value\nother = 12\n",
		"about 50% 12 of them\n90% 3\n",
		"1024 | 12\n2048 | 13\n",
		"[1] 2024 a note\n[2] 2025 another\n",
	};

	(void)state;
	text_claims_none(&format_histogram, texts, ARRAY_LEN(texts));
}

static void k6_has_a_series_a_trend_and_a_capture_of_counters(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct distribution *x;
	const struct counters *k;
	struct spread s;

	(void)state;
	assert_int_equal(
		document_from_memory(
			STR("     checks.........: 99.10% \u2713 1982     \u2717 18\n"
			    "   \u2717 http_req_duration.....: avg=9ms min=1.5\u00b5s med=4\u00b5s "
			    "max=1m6s p(90)=20\u00b5s p(95)=2.5s\n"
			    "       { expected_response:true }...: avg=9ms min=1ms med=4ms max=8ms "
			    "p(99.9)=7ms count=1000\n"
			    "     http_req_failed...: 0.90%  18 out of 2000\n"
			    "     http_reqs......: 2000   64.5031/s\n"
			    "     items..........: avg=3.4 min=1 med=3 max=17\n"
			    "     data_sent......: 210 kB 6.8 kB/s\n"
			    "     vus............: 10     min=10     max=20\n"),
			NULL, &doc, NULL),
		OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 2);
	x = d->captures.data[0]->distribution;
	assert_int_equal(x->series.len, 3);
	assert_str(strings_get(&d->strings, x->series.data[0].key), "http_req_duration");
	assert_str(strings_get(&d->strings, x->series.data[1].key),
		   "http_req_duration { expected_response:true }");
	assert_int_equal(x->series.data[1].count, 1000);
	assert_false(x->series.data[1].is_relative);
	assert_int_equal(x->series.data[2].unit.v, 0);
	spread_compute(d->captures.data[0], 0, &s);
	assert_true(s.p50.high == 4e3 && s.max.high == 66e9);
	spread_compute(d->captures.data[0], 2, &s);
	assert_true(s.p50.high == 3 && s.max.high == 17);
	k = d->captures.data[1]->counters;
	assert_str(strings_get(&d->strings, k->tool), "k6");
	assert_int_equal(k->rows.len, 9);
	assert_true(counter_value(&k->rows.data[0]) == 99.1);
	assert_true(counter_value(&k->rows.data[1]) == 1982);
	assert_true(counter_value(&k->rows.data[3]) == 18);
	assert_str(strings_get(&d->strings, k->rows.data[5].name), "http_reqs rate");
	assert_true(counter_value(&k->rows.data[5]) == 64.5031);
	assert_str(strings_get(&d->strings, k->rows.data[7].unit), "kB/s");
	assert_true(counter_value(&k->rows.data[8]) == 10);
}

static void dotted_lines_without_percentiles_are_no_distribution(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_histogram.find(STR("checks.........: 99.10% 10 out of 20\n"
					       "name...........: some words\n"
					       "total..........: avg=3 min=4\n"),
					   0, &e));
}

#define HDR_A "HISTFAAAACZ42pNpmSzMwMDAxgABTFCaEURcm7yEwf4DROAzO9tBFiYAdQkGUw=="
#define HDR_B "HISTFAAAACZ42pNpmSzMwMDAxgABTFCaEURcm7yEwf4DROAzO9NzHiYAdXsGfQ=="
/* shifted by three counts; of floating point numbers */
#define HDR_SHIFTED "HISTFAAAACN42pNpmSzMwMDADMVMDBDACCKuTV7CYP8BIvCZnQkAYggFiA=="
#define HDR_DOUBLE  "HISTFAAAACN42uMpEvJjYGBgZoAAJijNCCKuTV7CYP8BIvCZnQkAUJMFHQ=="

static void a_log_of_hdrhistogram_is_added_up_by_tag(void **state)
{
	static const char text[] =
		"#[Histogram log format version 1.3]\n"
		"#[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n"
		"0.000,1.000,0.005," HDR_A "\n"
		"1.000,1.000,0.090," HDR_B "\n"
		"Tag=write,1.000,1.000,0.090," HDR_B "\n"
		"Tag=write,2.000,1.000,0.001," HDR_SHIFTED "\n"
		"Tag=write,3.000,1.000,0.001," HDR_DOUBLE "\n"
		"Tag=write,4.000,1.000,0.001,HISTFAAAACN42uMp\n";
	CLEANUP(dossier_freep) struct dossier *d = read_text(text);
	const struct distribution *k = read_of(d);
	static const struct {
		double low, high;
		uint64_t count;
	} want[] = { { 1000, 1004, 4 },
		     { 4992, 5024, 1 },
		     { 89600, 90112, 1 },
		     { 1000, 1004, 1 },
		     { 89600, 90112, 1 } };

	(void)state;
	assert_int_equal(k->series.len, 2);
	assert_int_equal(k->series.data[0].key.v, STR_ID_NONE.v);
	assert_int_equal(k->series.data[0].unit.v, STR_ID_NONE.v);
	assert_str(strings_get(&d->strings, k->series.data[1].key), "write");
	assert_int_equal(k->series.data[1].line, 6);
	assert_int_equal(k->buckets.len, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_near(k->buckets.data[i].low, want[i].low, 0);
		assert_near(k->buckets.data[i].high, want[i].high, 0);
		assert_int_equal(k->buckets.data[i].count, want[i].count);
	}
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "histogram-encoded"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_of_bcc_have_bounds_unit_and_key),
		cmocka_unit_test(buckets_of_older_bcc_have_a_key),
		cmocka_unit_test(a_bucket_keeps_its_line),
		cmocka_unit_test(bounds_have_one_notation),
		cmocka_unit_test(maps_of_bpftrace_are_series_by_key),
		cmocka_unit_test(dtrace_and_perf_ftrace_are_dialects),
		cmocka_unit_test(a_millisecond_of_perf_is_1024_microseconds),
		cmocka_unit_test(percentiles_become_stretches),
		cmocka_unit_test(peaks_need_a_valley_that_is_not_chance),
		cmocka_unit_test(buckets_out_of_order_are_counted),
		cmocka_unit_test(prose_and_other_tables_are_nobodys),
		cmocka_unit_test(k6_has_a_series_a_trend_and_a_capture_of_counters),
		cmocka_unit_test(a_log_of_hdrhistogram_is_added_up_by_tag),
		cmocka_unit_test(dotted_lines_without_percentiles_are_no_distribution),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
