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

#include <math.h>

DECLARE_FORMAT(sqlite_plan);

static struct dossier *plan_of(const char *text, struct document **doc)
{
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, doc, NULL), OK);
	assert_int_equal(load_document(d, *doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "sqlite-plan");
	return d;
}

static void a_tree_has_steps_with_their_depth(void **state)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(dossier_freep)
	struct dossier *d = plan_of("QUERY PLAN\n"
				    "|--MATERIALIZE newest\n"
				    "|  `--SCAN TABLE parcels USING INDEX by_depot\n"
				    "`--SEARCH newest USING AUTOMATIC COVERING INDEX (depot=?)\n",
				    &doc);
	const struct metrics *m = d->captures.data[0]->metrics;

	(void)state;
	assert_int_equal(m->n_rows, 3);
	assert_near(metrics_value(m, 0, 3), 0, 0);
	assert_near(metrics_value(m, 1, 3), 1, 0);
	assert_near(metrics_value(m, 2, 3), 0, 0);
}

static void rows_of_a_result_have_no_depth(void **state)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(dossier_freep)
	struct dossier *d = plan_of("0|0|0|SCAN TABLE parcels AS p\n"
				    "0|0|0|USE TEMP B-TREE FOR ORDER BY\n",
				    &doc);
	const struct metrics *m = d->captures.data[0]->metrics;

	(void)state;
	assert_int_equal(m->n_rows, 2);
	assert_true(isnan(metrics_value(m, 0, 3)));
}

static void prose_and_other_trees_are_no_plan(void **state)
{
	static const char *const texts[] = {
		"|--SCANNER of the library\n`--SEARCHING\n",
		"QUERY PLAN\n Seq Scan on parcels  (cost=0.00..1.00 rows=1 width=4)\n",
		"SCAN parcels\nSEARCH depots USING INDEX by_region (region=?)\n",
		"|--src\n|  `--main.c\n",
		"`--SCAN the disk for errors\n",
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(format_sqlite_plan.find(str_of(texts[i]), 0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_has_steps_with_their_depth),
		cmocka_unit_test(rows_of_a_result_have_no_depth),
		cmocka_unit_test(prose_and_other_trees_are_no_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
