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

DECLARE_FORMAT(setting_table);

static const struct counters *setting_of(struct dossier *d, struct document **doc, struct str text)
{
	assert_int_equal(document_from_memory(text, NULL, doc, NULL), OK);
	assert_int_equal(load_document(d, *doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "setting-table");
	return d->captures.data[0]->counters;
}

static void rows_are_settings(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k =
		setting_of(d, &doc,
			   STR("| | writes/sec | time per write |\n|---|---:|---:|\n"
			       "| `sync = true` (the default) | **1,250** | 0.8 ms |\n"
			       "| `sync = false` | 50,000 | ~0.02 ms |\n"));
	struct strings *strings = capture_strings(d->captures.data[0]);

	(void)state;
	assert_int_equal(k->rows.len, 4);
	assert_str(strings_get(strings, k->rows.data[0].name), "writes/sec");
	assert_str(strings_get(strings, k->rows.data[0].key), "sync = true (the default)");
	assert_int_equal(k->rows.data[0].value, 1250);
	assert_str(strings_get(strings, k->rows.data[3].unit), "ms");
	assert_int_equal(k->rows.data[3].line, 4);
}

static void columns_are_settings(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k =
		setting_of(d, &doc,
			   STR("| Query | Baseline | + index |\n|---|---|---|\n"
			       "| by name | 5.2s | 0.1s |\n| by day | 3s | - |\n"));
	struct strings *strings = capture_strings(d->captures.data[0]);

	(void)state;
	assert_int_equal(k->rows.len, 3);
	assert_str(strings_get(strings, k->rows.data[1].name), "by name");
	assert_str(strings_get(strings, k->rows.data[1].key), "+ index");
}

static bool is_table(struct str text)
{
	struct extent e;

	return format_setting_table.find(text, 0, &e);
}

static void alternatives_that_are_no_settings_are_left_out(void **state)
{
	(void)state;
	assert_true(is_table(STR("| mode | time |\n|---|---|\n| cache on | 3 s |\n"
				 "| cache off | 9 s |\n")));
	/* no labels of settings */
	assert_false(is_table(STR("| library | time |\n|---|---|\n| rapid | 3 s |\n"
				  "| steady | 9 s |\n")));
	/* one label only */
	assert_false(is_table(STR("| mode | time |\n|---|---|\n| cache on | 3 s |\n"
				  "| steady | 9 s |\n")));
	/* a number of nothing known */
	assert_false(is_table(STR("| mode | stars |\n|---|---|\n| cache on | 3 |\n"
				  "| cache off | 9 |\n")));
	/* a table by number of threads belongs to scaling-table */
	assert_false(is_table(STR("| threads | on | off |\n|---|---|---|\n| 1 | 3 s | 4 s |\n"
				  "| 2 | 9 s | 8 s |\n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_settings),
		cmocka_unit_test(columns_are_settings),
		cmocka_unit_test(alternatives_that_are_no_settings_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
