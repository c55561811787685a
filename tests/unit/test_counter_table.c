/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

#include <stdio.h>

DECLARE_FORMAT(counter_table);

static struct dossier *table_load(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	(void)(load_document(d, doc, "made.txt", NULL, NULL) < 0);
	return d;
}

static void cells_are_counters_by_key_and_interval(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = table_load("Linux 6.1.0 (box) \t11/22/26 \t_x86_64_\t(8 CPU)\n\n"
				       "10:00:01 AM  CPU    %usr    %idle\n"
				       "10:00:02 AM  all    3,10    96,90\n"
				       "10:00:02 AM    0    1.00    99.00\n"
				       "10:00:03 AM  all    4.00    96.00\n"
				       "10:00:03 AM    0    2.00        -\n"
				       "Average:     all    3.55    96.45\n");
	const struct counters *k = d->captures.data[0]->counters;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	assert_str(strings_get(&d->strings, k->tool), "mpstat");
	assert_int_equal(k->n_intervals, 2);
	assert_int_equal(k->rows.len, 7); /* one value is '-', and averages are omitted */
	assert_str(strings_get(&d->strings, k->rows.data[1].name), "%idle");
	assert_str(strings_get(&d->strings, k->rows.data[1].key), "all");
	assert_near(counter_value(&k->rows.data[0]), 3.1, 1e-9);
	assert_int_equal(k->rows.data[6].interval, 1);
	assert_int_equal(k->rows.data[6].line, 7);
	assert_int_equal(d->captures.data[0]->facts.data[0].value, 8);
}

static void the_last_column_may_hold_blanks(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = table_load("    PID USER      PR    RES S  %CPU COMMAND\n"
				       "   4321 app       20   3.2g R 399.0 my server\n"
				       "     12 root      rt      0 I   0.3 kworker\n");
	const struct counters *k = d->captures.data[0]->counters;

	(void)state;
	assert_str(strings_get(&d->strings, k->rows.data[0].key), "my server");
	assert_near(counter_value(&k->rows.data[0]), 3355443.2, 1e-6); /* 3.2 GiB in KiB */
	assert_near(counter_value(&k->rows.data[1]), 399, 1e-9);
	/* a realtime task has no number as its priority */
	assert_str(strings_get(&d->strings, k->rows.data[2].key), "kworker");
}

static void two_runs_are_two_captures(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = table_load("before:\n r b swpd free us sy id\n 1 0 0 5 1 1 98\n\n"
				       "some words\nand more\nof them\nabout it\n"
				       "after:\n r b swpd free us sy id\n 9 0 0 5 90 9 1\n");

	(void)state;
	assert_int_equal(d->captures.len, 2);
	assert_str(strings_get(&d->strings, d->captures.data[1]->counters->label), "after");
}

static void a_table_that_a_mailer_broke_is_read(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = table_load("Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s\n"
				       "wkB/s avgqu-sz  %util\n"
				       "sdf               0.00     0.00    0.50    0.00     0.00\n"
				       "0.00    12.00 100.00\n");
	const struct counters *k = d->captures.data[0]->counters;

	(void)state;
	assert_int_equal(k->rows.len, 8);
	assert_str(strings_get(&d->strings, k->rows.data[6].name), "avgqu-sz");
	assert_near(counter_value(&k->rows.data[7]), 100, 1e-9);
	assert_int_equal(k->rows.data[7].line, 3);
}

static void rows_without_titles_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_counter_table.find(STR(" 1 0 0 5 1 1 98\n 9 0 0 5 90 9 1\n"), 0, &e));
	assert_false(format_counter_table.find(STR(" r b swpd free us sy id\nno row\n"), 0, &e));
}

static void the_command_tells_the_titles_that_grep_removed(void **state)
{
	static const char row[] = "root 11 88.1 0.0 22 74 pts/0 D+ 16:20 0:25 index -a\n";
	static const char *const commands[] = { "$ ps aux | grep index\n",
						"# ps axuww |grep index\n",
						"$ ps -aux | grep index\n" };
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		char text[256];
		struct dossier *d;
		const struct counters *k;

		(void)snprintf(text, sizeof(text), "%s%s", commands[i], row);
		d = table_load(text);
		assert_int_equal(d->captures.len, 1);
		k = d->captures.data[0]->counters;
		assert_str(strings_get(&d->strings, k->rows.data[0].name), "%CPU");
		assert_str(strings_get(&d->strings, k->rows.data[0].key), "index -a");
		assert_near(counter_value(&k->rows.data[0]), 88.1, 1e-9);
		dossier_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_counters_by_key_and_interval),
		cmocka_unit_test(the_last_column_may_hold_blanks),
		cmocka_unit_test(two_runs_are_two_captures),
		cmocka_unit_test(a_table_that_a_mailer_broke_is_read),
		cmocka_unit_test(rows_without_titles_are_nobodys),
		cmocka_unit_test(the_command_tells_the_titles_that_grep_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
