/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

#include <math.h>

DECLARE_FORMAT(sched_debug);

enum { STATE, CPU, PID, PRIORITY, SWITCHES, WAIT, RUN, SLEEP, BLOCK };

static const char old_dump[] = "Sched Debug Version: v0.11, 6.1.0 #1\n"
			       "cpu#2, 2400.000 MHz\n"
			       "  .nr_running                    : 3\n"
			       "  .nr_uninterruptible            : -12\n"
			       "  .sched_clock                   : 812.904\n"
			       "cfs_rq[2]:/shop.slice\n"
			       "  .nr_running                    : 1\n"
			       "  .words here                    : 1\n"
			       "runnable tasks:\n"
			       " S            task   PID         tree-key  switches  prio     "
			       "wait-time             sum-exec        sum-sleep\n"
			       "-------------------------------------------------------------------"
			       "------------------------------------------\n"
			       ">R tokio-runtime w  4712     91230.101000     40120   120     "
			       "30211.120000     21233.000000        10.500000 0 0 /shop.slice\n"
			       " D          jbd2-1   190      1200.000000      2200   120         "
			       "1.120000       210.000000      1200.000000 0 0 /\n";

static void counters_have_their_cpu_or_queue(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct counters *k;

	(void)state;
	(void)text_detect(d, old_dump);
	assert_int_equal(d->captures.len, 2);
	k = d->captures.data[0]->counters;
	assert_int_equal(k->rows.len, 4);
	assert_str(strings_get(&d->strings, k->rows.data[0].key), "CPU2");
	assert_true(counter_value(&k->rows.data[1]) == -12);
	assert_true(counter_value(&k->rows.data[2]) == 812.904);
	assert_str(strings_get(&d->strings, k->rows.data[3].key), "cfs_rq[2]:/shop.slice");
	assert_int_equal(k->rows.data[3].value, 1);
}

static void tasks_have_times_in_nanoseconds(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct metrics *m;
	size_t n;

	(void)state;
	(void)text_detect(d, old_dump);
	m = d->captures.data[1]->metrics;
	n = m->columns.len;
	assert_int_equal(m->n_rows, 2);
	assert_str(symbols_name(&d->symbols, m->names.data[0]), "tokio-runtime w");
	assert_str(strings_get(&d->strings, m->texts.data[STATE]), "R");
	assert_true(metrics_value(m, 0, CPU) == 2 && metrics_value(m, 0, PID) == 4712);
	assert_true(metrics_value(m, 0, SWITCHES) == 40120 && metrics_value(m, 0, PRIORITY) == 120);
	assert_true(metrics_value(m, 0, WAIT) == 30211120000.0);
	assert_true(metrics_value(m, 0, SLEEP) == 10500000.0);
	assert_true(isnan(metrics_value(m, 0, BLOCK)));
	assert_str(strings_get(&d->strings, m->texts.data[n - 1]), "/shop.slice");
	assert_str(strings_get(&d->strings, m->texts.data[n]), "D");
}

static void titles_say_where_the_columns_are(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct metrics *m;

	(void)state;
	(void)text_detect(
		d,
		"[  912.120001] cpu#7, 3600.000 MHz\n"
		"[  912.120002]   .nr_running                    : 5\n"
		"[  912.120011]  S   task   PID   vruntime   eligible    deadline   slice   "
		"sum-exec   "
		"switches  prio   wait-time   sum-sleep   sum-block  node   group-id  group-path\n"
		"[  912.120013] >R   cc1plus 90211   8123.401822   N   8126.401822   3.000000   "
		"1200.250000   812   120   900.100000   0.000000   12.000000   0   0   /\n");
	m = d->captures.data[1]->metrics;
	assert_int_equal(m->n_rows, 1);
	assert_true(metrics_value(m, 0, RUN) == 1200250000.0 &&
		    metrics_value(m, 0, WAIT) == 900100000.0);
	assert_true(metrics_value(m, 0, SWITCHES) == 812 && metrics_value(m, 0, BLOCK) == 12e6);
}

static void other_dotted_lines_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(
		format_sched_debug.find(STR("  .nr_running  : 3\n  .nr_switches : 4\n"), 0, &e));
	assert_false(format_sched_debug.find(STR("cpu#2 is slow\ncpu#2, 2400.000 MHz\nand prose\n"),
					     0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_have_their_cpu_or_queue),
		cmocka_unit_test(tasks_have_times_in_nanoseconds),
		cmocka_unit_test(titles_say_where_the_columns_are),
		cmocka_unit_test(other_dotted_lines_are_nobodys),
	};

	return cmocka_run_group_tests_name("sched_debug", tests, NULL, NULL);
}
