/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counter_roles.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

DECLARE_FORMAT(benchmark);

static struct dossier *load(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	return d;
}

static const struct counter *row_of(const struct capture *c, enum counter_role role)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->role == role)
			return row;
	}
	assert_true(false); /* the capture has no row of this role */
	return NULL;
}

static const char poop[] =
	"Benchmark 1 (4 runs): ./pack-old -9 big.tar\n"
	"  measurement    mean \xc2\xb1 \xcf\x83      min \xe2\x80\xa6 max      outliers   delta\n"
	"  wall_time    2.00s \xc2\xb1 20.0ms   1.98s \xe2\x80\xa6 2.02s   0 ( 0%)     0%\n"
	"  peak_rss    64.0MB \xc2\xb1  128KB  63.8MB \xe2\x80\xa6 64.2MB  0 ( 0%)     0%\n"
	"  cpu_cycles    6.00G \xc2\xb1 12.0M  5.98G \xe2\x80\xa6 6.02G    0 ( 0%)     0%\n"
	"Benchmark 2 (9 runs): ./pack-new -9 big.tar\n"
	"  measurement    mean \xc2\xb1 \xcf\x83      min \xe2\x80\xa6 max      outliers   delta\n"
	"  wall_time     160ms \xc2\xb1  800us  159ms \xe2\x80\xa6 161ms   0 ( 0%)  "
	"\xf0\x9f\x92\xa9+ 20.0% \xc2\xb1  2.0%\n"
	"  cpu_cycles    4.80G \xc2\xb1 12.0M  4.78G \xe2\x80\xa6 4.82G   0 ( 0%)  "
	"\xe2\x9a\xa1- 20.0% \xc2\xb1  0.5%\n";

static void each_benchmark_of_poop_is_a_capture(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = load(poop);
	const struct capture *c;

	(void)state;
	assert_int_equal(d->captures.len, 2);
	c = d->captures.data[0];
	assert_string_equal(c->format, "benchmark");
	assert_str(strings_get(&d->strings, c->command), "./pack-old -9 big.tar");
	assert_str(strings_get(&d->strings, c->counters->label), "Benchmark 1 (./pack-old)");
	assert_int_equal(c->counters->runs, 4);
	assert_near(counter_value(row_of(c, COUNTS_CYCLES)), 6e9, 0);
	assert_near(counter_value(row_of(c, COUNTS_RESIDENT)), 64e6, 0);
	/* deviations of 1 % over 4 runs and 0.5 % over 9 runs become errors of the mean */
	assert_near(row_of(c, COUNTS_ELAPSED)->spread, 0.5, 1e-9);
	c = d->captures.data[1];
	assert_near(counter_value(row_of(c, COUNTS_ELAPSED)), 160, 1e-9);
	assert_near(row_of(c, COUNTS_ELAPSED)->spread, 0.5 / 3, 1e-9);
	assert_int_equal(c->counters->rows.len, 2);
}

static const char hyperfine[] =
	"Benchmark #1: ./sum data.csv\n"
	"  Time (mean \xc2\xb1 \xcf\x83):  400.0 ms \xc2\xb1  8.0 ms  [User: 390.0 ms, System: 8.0 "
	"ms]\n"
	"  Range (min \xe2\x80\xa6 max):  392.1 ms \xe2\x80\xa6 410.3 ms    16 runs\n";

static void hyperfine_has_elapsed_user_and_system_time(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = load(hyperfine);
	const struct capture *c;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	assert_int_equal(c->counters->runs, 16);
	assert_near(row_of(c, COUNTS_ELAPSED)->spread, 0.5, 1e-9);
	assert_near(counter_value(row_of(c, COUNTS_USER)), 390, 1e-9);
	assert_near(counter_value(row_of(c, COUNTS_SYSTEM)), 8, 1e-9);
}

static void times_have_minutes_and_labels(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("before:\nreal\t1m2.500s\nuser\t0m1.000s\nsys\t0m0,250s\n\n"
				 "after:\nreal 2.50\nuser 1.00\nsys 0.25\n");
	const struct capture *c;

	(void)state;
	assert_int_equal(d->captures.len, 2);
	c = d->captures.data[0];
	assert_str(strings_get(&d->strings, c->counters->label), "before");
	assert_near(counter_value(row_of(c, COUNTS_ELAPSED)), 62.5, 1e-9);
	assert_near(counter_value(row_of(c, COUNTS_SYSTEM)), 0.25, 1e-9);
	assert_str(strings_get(&d->strings, d->captures.data[1]->counters->label), "after");
}

static void gnu_time_has_faults_switches_and_memory(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("\tCommand being timed: \"./walk tree\"\n"
				 "\tUser time (seconds): 1.25\n"
				 "\tSystem time (seconds): 0.50\n"
				 "\tPercent of CPU this job got: 98%\n"
				 "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02.50\n"
				 "\tMaximum resident set size (kbytes): 20480\n"
				 "\tMajor (requiring I/O) page faults: 3\n"
				 "\tMinor (reclaiming a frame) page faults: 5000\n"
				 "\tVoluntary context switches: 7\n"
				 "\tInvoluntary context switches: 11\n");
	const struct capture *c;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	assert_str(strings_get(&d->strings, c->command), "./walk tree");
	assert_near(counter_value(row_of(c, COUNTS_ELAPSED)), 62.5, 1e-9);
	assert_near(counter_value(row_of(c, COUNTS_MAJOR_FAULTS)), 3, 0);
	assert_near(counter_value(row_of(c, COUNTS_MINOR_FAULTS)), 5000, 0);
	assert_near(counter_value(row_of(c, COUNTS_VOLUNTARY)), 7, 0);
	assert_near(counter_value(row_of(c, COUNTS_INVOLUNTARY)), 11, 0);
	assert_near(counter_value(row_of(c, COUNTS_RESIDENT)), 20480, 0);
}

static void prose_is_nobodys(void **state)
{
	static const char *const texts[] = {
		"Benchmark 1 was slow: we saw 3 runs\n",
		"real 2.5\nuser friendly\nsys admin\n",
		"real 3\nuser 2\nsys 1\n",
		"instructions: 5\nwall_time 3 s\n",
		"Exit status: 0\nSwaps: 0\n",
		"1 user 2 system 3 total\n",
		"the user 1.5user waited\n",
		"Benchmarking is hard 3 ns/op\n",
		"a 3 ns 4 ns\n",
		"a 3 ns 4 us 100\n",
	};

	(void)state;
	text_claims_none(&format_benchmark, texts, ARRAY_LEN(texts));
}

static void one_line_or_row_is_enough_where_it_has_all_figures(void **state)
{
	static const char *const texts[] = {
		"make  1.23s user 0.45s system 98% cpu 1.712 total\n",
		"1.23user 0.45system 0:01.71elapsed 98%CPU (0avgtext+0avgdata 1maxresident)k\n",
		"1.234u 0.456s 0:01.71 98.2%\t0+0k 0+0io 0pf+0w\n",
		"BenchmarkEncode-8 \t 100000 \t 12345 ns/op\n",
		"BM_Sort/8   3 ns   4 ns   100\n",
		"test sort ... bench:      12,345 ns/iter (+/- 123)\n",
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_true(format_benchmark.find(str_of(texts[i]), 0, &e));
}

static const struct counter *only_row(const struct dossier *d)
{
	assert_int_equal(d->captures.len, 1);
	assert_int_equal(d->captures.data[0]->counters->rows.len, 1);
	return &d->captures.data[0]->counters->rows.data[0];
}

static void errors_of_jmh_are_half_a_wide_interval(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("Box.get   10    avgt  1000  200.000 \xc2\xb1 6.600  ns/op\n");
	const struct counter *row = only_row(d);

	(void)state;
	assert_str(strings_get(&d->strings, row->key), "Box.get 10");
	assert_str(strings_get(&d->strings, row->name), "ns/op");
	assert_near(counter_value(row), 200, 1e-9);
	/* Student's t for 99.9 % and 999 degrees of freedom is 3.3003 */
	assert_near(row->spread, 1, 1e-4);
}

static void criterion_prints_an_interval(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("scan/a_name_that_needs_its_own_line\n"
		     "                        time:   [1.9804 \xc2\xb5s 2.0000 \xc2\xb5s "
		     "2.0196 \xc2\xb5s]\n");
	const struct counter *row = only_row(d);

	(void)state;
	assert_str(strings_get(&d->strings, row->key), "scan/a_name_that_needs_its_own_line");
	assert_str(strings_get(&d->strings, row->unit), "\xc2\xb5s");
	assert_near(row->spread, 0.5, 1e-4);
}

static void columns_of_pytest_are_by_title(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("Name (time in ms)     Max     Mean    StdDev   Rounds\n"
				 "test_a      9.0 (1.0)  4.0 (1.0)  0.8 (1.0)  100\n");
	const struct counter *row = only_row(d);

	(void)state;
	assert_str(strings_get(&d->strings, row->unit), "ms");
	assert_near(counter_value(row), 4, 1e-9);
	assert_near(row->spread, 2, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_benchmark_of_poop_is_a_capture),
		cmocka_unit_test(hyperfine_has_elapsed_user_and_system_time),
		cmocka_unit_test(times_have_minutes_and_labels),
		cmocka_unit_test(gnu_time_has_faults_switches_and_memory),
		cmocka_unit_test(errors_of_jmh_are_half_a_wide_interval),
		cmocka_unit_test(criterion_prints_an_interval),
		cmocka_unit_test(columns_of_pytest_are_by_title),
		cmocka_unit_test(prose_is_nobodys),
		cmocka_unit_test(one_line_or_row_is_enough_where_it_has_all_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
