/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

#include <stdio.h>

DECLARE_FORMAT(active_record);

static void executions_of_one_request_are_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct metrics *m;
	struct str text = STR("Started GET \"/a\" for 10.0.0.1 at 2026-01-01 10:00:00 +0000\n"
			      "  User Load (0.2ms)  SELECT \"users\".* FROM \"users\" WHERE "
			      "\"users\".\"id\" = $1  "
			      "[[\"id\", 4]]\n"
			      "  Note Load (1.5ms)  SELECT \"notes\".* FROM \"notes\" WHERE "
			      "\"notes\".\"id\" = 7\n"
			      "Started GET \"/b\" for 10.0.0.1 at 2026-01-01 10:00:01 +0000\n"
			      "  User Load (0.3ms)  SELECT \"users\".* FROM \"users\" WHERE "
			      "\"users\".\"id\" = $1  "
			      "[[\"id\", 5]]\n"
			      "  CACHE User Load (0.0ms)  SELECT \"users\".* FROM \"users\" WHERE "
			      "\"users\".\"id\" = $1  [[\"id\", 5]]\n");

	(void)state;
	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "active-record");
	m = d->captures.data[0]->metrics;
	assert_int_equal(m->n_rows, 2);
	assert_near(metrics_value(m, 0, 0), 3, 0);
	assert_near(metrics_value(m, 0, 1), 500000, 1);
	assert_near(metrics_value(m, 0, 2), 2, 0);
	assert_near(metrics_value(m, 0, 3), 1, 0);
	assert_near(metrics_value(m, 1, 2), 1, 0);
}

static void tags_tell_requests_apart(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct metrics *m;
	struct str text = STR("[7c1d39ff-8396-47a7] User Load (0.2ms)  SELECT 1\n"
			      "[8c1d39ff-8396-47a7] User Load (0.2ms)  SELECT 2\n"
			      "[7c1d39ff-8396-47a7] User Load (0.2ms)  SELECT 3\n");

	(void)state;
	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	m = d->captures.data[0]->metrics;
	assert_int_equal(m->n_rows, 1);
	assert_near(metrics_value(m, 0, 0), 3, 0);
	assert_near(metrics_value(m, 0, 2), 2, 0);
}

static void other_lines_with_times_are_no_statements(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_active_record.find(STR("Rendered a.erb (0.2ms)  again\n"
						   "Completed 200 OK in 12ms (Views: 3.1ms)\n"
						   "  Job (2.0ms)  done\n"),
					       0, &e));
	assert_false(format_active_record.find(STR("User Load (0.2ms)  SELECT 1\n"), 0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executions_of_one_request_are_counted),
		cmocka_unit_test(tags_tell_requests_apart),
		cmocka_unit_test(other_lines_with_times_are_no_statements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
