/* SPDX-License-Identifier: MIT */
/* Conditions of --when on plain files instead of /proc. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "record/window/when.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static char root[64];

static void put(const char *name, const char *text)
{
	char path[160];
	FILE *f;

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		(void)snprintf(path, sizeof(path), "%s/%.*s", root, (int)(slash - name), name);
		(void)mkdir(path, 0700);
	}
	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fputs(text, f);
	(void)fclose(f);
}

static int drop_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int begin(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "when-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return nftw(root, drop_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct when parsed(const char *text)
{
	struct when w;
	struct error err = { "" };

	if (when_parse(str_of(text), &w, &err) < 0) {
		print_error("%s: %s\n", text, err.msg);
		assert_true(false);
	}
	return w;
}

static void conditions_are_read(void **state)
{
	struct when w = parsed("cpu > 90% for 2s");

	(void)state;
	assert_int_equal(w.quantity, WHEN_CPU);
	assert_true(w.limit == 90 && !w.is_less && !w.is_equal && w.hold_ns == 2 * SECOND);
	when_fini(&w);
	w = parsed("cpu:123>=250");
	assert_true(w.quantity == WHEN_CPU_OF && w.pid == 123 && w.is_equal && w.limit == 250);
	when_fini(&w);
	w = parsed("rss:target>1.5G");
	assert_true(w.quantity == WHEN_RSS_OF && w.pid == 0 && w.limit == 1.5 * 1073741824);
	when_fini(&w);
	w = parsed("psi:memory:full>5%for 100ms");
	assert_true(w.quantity == WHEN_PSI && w.is_full && w.hold_ns == SECOND / 10);
	assert_string_equal(w.psi, "memory");
	when_fini(&w);
	w = parsed("load<0.5");
	assert_true(w.quantity == WHEN_LOAD && w.is_less && w.limit == 0.5);
	when_fini(&w);
}

static void what_is_no_condition_is_refused(void **state)
{
	static const char *const bad[] = { "",
					   "cpu",
					   "cpu>",
					   "cpu=90%",
					   "cpu>90%% x",
					   "cpu>-1%",
					   "cpu:0>1",
					   "cpu:>1",
					   "rss>1G",
					   "psi:disk:some>1",
					   "psi:io>1",
					   "load>1%",
					   "memory>1G",
					   "cpu>90 for",
					   "cpu>90 for 2x",
					   "cpu>100%",
					   "memory>=101",
					   "cpu<0",
					   "runnable<0",
					   "cpu>nan",
					   "cpu>1e300%",
					   "psi:cpu:some>100" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct when w;
		struct error err = { "" };

		if (when_parse(str_of(bad[i]), &w, &err) != ERR_USAGE || !err.msg[0]) {
			print_error("'%s' is taken for a condition\n", bad[i]);
			assert_true(false);
		}
	}
}

static void machine_cpu_is_taken_from_look_to_look(void **state)
{
	struct when_place place = { root, NULL, 0 };
	struct when w = parsed("cpu>=75%");
	struct error err;
	char text[80];

	(void)state;
	put("stat", "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3 4\n");
	assert_int_equal(when_begin(&w, &place, SECOND, &err), OK);
	/* 50 ticks in user space, 20 idle, 10 waiting for disks: 62.5 % busy */
	put("stat", "cpu  150 0 100 720 110 0 0 0 0 0\n");
	assert_false(when_look(&w, &place, 2 * SECOND));
	/* 75 of 100 ticks are busy */
	put("stat", "cpu  200 0 120 745 110 0 0 5 0 0\n");
	assert_true(when_look(&w, &place, 3 * SECOND));
	when_describe(&w, text, sizeof(text));
	assert_string_equal(text, "cpu>=75% (it is 75.0 %)");
	/* reported once, until the condition was false again */
	put("stat", "cpu  300 0 120 745 110 0 0 5 0 0\n");
	assert_false(when_look(&w, &place, 4 * SECOND));
	put("stat", "cpu  300 0 120 845 110 0 0 5 0 0\n");
	assert_false(when_look(&w, &place, 5 * SECOND));
	put("stat", "cpu  400 0 120 845 110 0 0 5 0 0\n");
	assert_true(when_look(&w, &place, 6 * SECOND));
	when_fini(&w);
}

static void a_condition_must_hold_as_long_as_it_says(void **state)
{
	struct when_place place = { root, NULL, 0 };
	struct when w = parsed("load>2 for 2s");
	struct error err;

	(void)state;
	put("loadavg", "2.50 1.00 1.00 3/100 1234\n");
	assert_int_equal(when_begin(&w, &place, SECOND, &err), OK);
	assert_false(when_look(&w, &place, 2 * SECOND));
	assert_false(when_look(&w, &place, 3 * SECOND));
	put("loadavg", "2.00 1.00 1.00 3/100 1234\n");
	assert_false(when_look(&w, &place, 4 * SECOND));
	put("loadavg", "2.01 1.00 1.00 3/100 1234\n");
	assert_false(when_look(&w, &place, 5 * SECOND));
	assert_true(when_look(&w, &place, 7 * SECOND));
	when_fini(&w);
}

static void a_process_is_measured_and_its_end_does_not_hold(void **state)
{
	struct when_place place = { root, NULL, 0 };
	struct when w = parsed("cpu:12>150%");
	struct when less = parsed("rss:12<1M");
	struct error err;
	char path[96];

	(void)state;
	/* utime and stime are fields 14 and 15; the name may contain anything */
	put("12/stat", "12 (a ) b) S 1 12 12 0 -1 0 0 0 0 0 100 50 900 900 20 0 1 0 5 0 0\n");
	put("12/statm", "9000 300 1 1 0 1 0\n");
	assert_int_equal(when_begin(&w, &place, SECOND, &err), OK);
	assert_int_equal(when_begin(&less, &place, SECOND, &err), OK);
	put("12/stat", "12 (a ) b) S 1 12 12 0 -1 0 0 0 0 0 200 110 9900 900 20 0 1 0 5 0 0\n");
	assert_true(when_look(&w, &place, 2 * SECOND));
	assert_true(w.value > 159.9 && w.value < 160.1);
	assert_false(when_look(&less, &place, 2 * SECOND));
	put("12/statm", "9000 10 1 1 0 1 0\n");
	assert_true(when_look(&less, &place, 3 * SECOND));
	(void)snprintf(path, sizeof(path), "%s/12/statm", root);
	assert_int_equal(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/12/stat", root);
	assert_int_equal(unlink(path), 0);
	assert_false(when_look(&w, &place, 4 * SECOND));
	assert_false(when_look(&less, &place, 4 * SECOND));
	assert_int_equal(when_begin(&w, &place, SECOND, &err), ERR_NOTFOUND);
	when_fini(&w);
	when_fini(&less);
}

static void the_target_is_all_that_it_has_started(void **state)
{
	uint32_t pids[] = { 20 };
	struct when_place place = { root, pids, 1 };
	struct when_place nothing = { root, NULL, 0 };
	struct when w = parsed("rss:target>100K");
	struct error err;

	(void)state;
	put("20/statm", "100 10 1\n");
	put("20/task/20/children", "21 22 ");
	put("21/statm", "100 20 1\n");
	put("21/task/21/children", "");
	put("22/statm", "100 5 1\n");
	put("22/task/22/children", "23 ");
	put("22/task/24/children", "25 ");
	put("23/statm", "100 1 1\n");
	put("25/statm", "100 4 1\n");
	assert_int_equal(when_begin(&w, &place, SECOND, &err), OK);
	assert_true(when_look(&w, &place, 2 * SECOND));
	assert_true(w.value == 40.0 * (double)sysconf(_SC_PAGESIZE));
	assert_int_equal(when_begin(&w, &nothing, SECOND, &err), ERR_USAGE);
	when_fini(&w);
}

static void pressure_is_a_share_of_time(void **state)
{
	struct when_place place = { root, NULL, 0 };
	struct when w = parsed("psi:io:full>20%");
	struct when none = parsed("psi:irq:full>20%");
	struct error err;

	(void)state;
	put("pressure/io", "some avg10=1.00 avg60=0.00 avg300=0.00 total=999\n"
			   "full avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n");
	assert_int_equal(when_begin(&w, &place, SECOND, &err), OK);
	assert_int_equal(when_begin(&none, &place, SECOND, &err), ERR_UNSUPPORTED);
	put("pressure/io", "some avg10=1.00 avg60=0.00 avg300=0.00 total=900000\n"
			   "full avg10=0.00 avg60=0.00 avg300=0.00 total=151000\n");
	assert_true(when_look(&w, &place, SECOND * 3 / 2));
	assert_true(w.value > 29.9 && w.value < 30.1);
	when_fini(&w);
	when_fini(&none);
}

static void memory_is_what_is_not_available(void **state)
{
	struct when_place place = { root, NULL, 0 };
	struct when w = parsed("memory>=90");
	struct error err;

	(void)state;
	put("meminfo", "MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    100 kB\n");
	assert_int_equal(when_begin(&w, &place, SECOND, &err), OK);
	assert_true(when_look(&w, &place, 2 * SECOND));
	when_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_are_read),
		cmocka_unit_test(what_is_no_condition_is_refused),
		cmocka_unit_test(machine_cpu_is_taken_from_look_to_look),
		cmocka_unit_test(a_condition_must_hold_as_long_as_it_says),
		cmocka_unit_test(a_process_is_measured_and_its_end_does_not_hold),
		cmocka_unit_test(the_target_is_all_that_it_has_started),
		cmocka_unit_test(pressure_is_a_share_of_time),
		cmocka_unit_test(memory_is_what_is_not_available),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
