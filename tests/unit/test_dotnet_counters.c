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

DECLARE_FORMAT(dotnet_counters);

static const struct counters *counters_of(struct dossier *d, struct document **doc, struct str text)
{
	assert_int_equal(document_from_memory(text, NULL, doc, NULL), OK);
	assert_int_equal(load_document(d, *doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "dotnet-counters");
	return d->captures.data[0]->counters;
}

static void rows_are_counters_over_time(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k = counters_of(
		d, &doc,
		STR("Timestamp,Provider,Counter Name,Counter Type,Mean/Increment\n"
		    "05/14/2023 09:41:50,System.Runtime,GC Heap Size (MB),Metric,12.25\n"
		    "05/14/2023 09:41:50,System.Runtime,Exception Count (Count / 1 sec),Rate,2\n"
		    "05/14/2023 09:41:52,System.Runtime,GC Heap Size (MB),Metric,14\n"));
	struct strings *strings = capture_strings(d->captures.data[0]);

	(void)state;
	assert_int_equal(k->rows.len, 3);
	assert_int_equal(k->n_intervals, 2);
	assert_str(strings_get(strings, k->rows.data[0].name), "GC Heap Size");
	assert_str(strings_get(strings, k->rows.data[0].unit), "MB");
	assert_str(strings_get(strings, k->rows.data[0].key), "System.Runtime");
	assert_near(counter_value(&k->rows.data[0]), 12.25, 1e-9);
	assert_int_equal(k->rows.data[0].second, 9 * 3600 + 41 * 60 + 50 + 1);
	assert_str(strings_get(strings, k->rows.data[1].unit), "Count / 1 sec");
	assert_int_equal(k->rows.data[2].interval, 1);
	assert_int_equal(k->rows.data[2].line, 4);
}

static void a_name_that_comes_again_begins_an_interval(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k = counters_of(
		d, &doc,
		STR("2023/5/14 9:41:50 PM,System.Runtime,ThreadPool Queue Length,Metric,3\n"
		    "2023/5/14 9:41:50 PM,System.Runtime,ThreadPool Queue Length,Metric,4\n"));

	(void)state;
	assert_int_equal(k->n_intervals, 2);
	assert_int_equal(k->rows.data[1].second, 21 * 3600 + 41 * 60 + 50 + 1);
}

static void rows_of_other_tables_are_no_counters(void **state)
{
	static const char *const rows[] = {
		"2023/5/14 9:41:50,System.Runtime,ThreadPool Queue Length,Gauge,3\n",
		"2023/5/14,System.Runtime,ThreadPool Queue Length,Metric,3\n",
		"2023/5/14 9:41,System.Runtime,ThreadPool Queue Length,Metric,3\n",
		"2023/5/14 24:41:50,System.Runtime,ThreadPool Queue Length,Metric,3\n",
		"at 2023/5/14 9:41:50,System.Runtime,ThreadPool Queue Length,Metric,3\n",
		"2023/5/14 9:41:50,the pool,ThreadPool Queue Length,Metric,3\n",
		"2023/5/14 9:41:50,System.Runtime,,Metric,3\n",
		"2023/5/14 9:41:50,System.Runtime,ThreadPool Queue Length,Metric,3 or 4\n",
		"2023/5/14 9:41:50,System.Runtime,ThreadPool Queue Length,Metric\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[256];
		struct extent e;

		(void)snprintf(text, sizeof(text), "%s%s%s", rows[i], rows[i], rows[i]);
		assert_false(format_dotnet_counters.find(str_of(text), 0, &e));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_counters_over_time),
		cmocka_unit_test(a_name_that_comes_again_begins_an_interval),
		cmocka_unit_test(rows_of_other_tables_are_no_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
