/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

#include <math.h>

DECLARE_FORMAT(mysql_explain);

#define TITLES "|id|select_type|table|type|possible_keys|key|key_len|ref|rows|Extra|\n"

/* Columns of the metrics: see mysql_columns. */
enum { ROWS = 5, FILTERED = 6 };

static struct dossier *load(struct str text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "mysql-explain");
	return d;
}

static void empty_cells_and_missing_columns_are_unknown(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load(STR(TITLES "|--|--|--|--|--|--|--|--|--|--|\n"
					    "|1|SIMPLE|shelf|ALL|by_row||||612|Using where|\n"
					    "|1|SIMPLE|rack|const|||||NULL||\n"));
	const struct metrics *m = d->captures.data[0]->metrics;

	(void)state;
	assert_int_equal(m->n_rows, 2);
	assert_str(symbols_name(&d->symbols, m->names.data[0]), "shelf");
	assert_int_equal(m->lines.data[0], 3);
	assert_near(metrics_value(m, 0, ROWS), 612, 0);
	assert_true(isnan(metrics_value(m, 0, FILTERED)));
	assert_true(isnan(metrics_value(m, 1, ROWS)));
}

static void a_line_that_is_no_row_is_counted(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load(STR(TITLES "|1|SIMPLE|shelf|ALL|by_row||||612|Using where|\n"
					    "|1|SIMPLE|rack|ALL|by_row||||612|\n"
					    "|2|SUBQUERY|rack|ALL|by_row||||71|Using where|\n"));

	(void)state;
	assert_int_equal(d->captures.data[0]->metrics->n_rows, 2);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "mysql-explain-skipped"), 1);
}

static void records_are_rows_and_the_statement_is_noted(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load(STR("mysql> explain select id from shelf\n"
				     "    -> where room = 4 limit 9\\G\n"
				     "********** 1. row **********\n"
				     "           id: 1\n"
				     "  select_type: SIMPLE\n"
				     "        table: shelf\n"
				     "         type: ref\n"
				     "possible_keys: by_row,by_room\n"
				     "          key: by_room\n"
				     "         rows: 612\n"
				     "     filtered: 12.50\n"
				     "        Extra: Using where\n"
				     "********** 2. row **********\n"
				     "           id: 2\n"
				     "  select_type: SUBQUERY\n"
				     "        table: rack\n"
				     "         rows: NULL\n"));
	const struct capture *c = d->captures.data[0];

	(void)state;
	assert_int_equal(c->metrics->n_rows, 2);
	assert_str(symbols_name(&d->symbols, c->metrics->names.data[0]), "shelf");
	assert_int_equal(c->metrics->lines.data[0], 10);
	assert_near(metrics_value(c->metrics, 0, ROWS), 612, 0);
	assert_near(metrics_value(c->metrics, 0, FILTERED), 12.5, 0);
	assert_true(isnan(metrics_value(c->metrics, 1, ROWS)));
	assert_str(capture_note_of(c, STR("statement")),
		   "explain select id from shelf where room = 4 limit 9\\G");
}

static void rows_without_all_titles_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"|1|SIMPLE|shelf|ALL|by_row||||612|Using where|\n",
		"|id|select_type|table|\n|1|SIMPLE|shelf|\n",
		"|no|select_type|table|type|possible_keys|rows|Extra|\n|1|SIMPLE|s|ALL||6||\n",
		TITLES "|x|SIMPLE|shelf|ALL|by_row||||612|Using where|\n",
		TITLES "|1|SIMPLY|shelf|ALL|by_row||||612|Using where|\n",
		"****** 1. row ******\n  id: 1\n table: shelf\n rows: 12\n",
		"  select_type: SIMPLE\n table: shelf\n rows: 12\n",
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(format_mysql_explain.find(str_of(texts[i]), 0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_cells_and_missing_columns_are_unknown),
		cmocka_unit_test(a_line_that_is_no_row_is_counted),
		cmocka_unit_test(records_are_rows_and_the_statement_is_noted),
		cmocka_unit_test(rows_without_all_titles_are_nobodys),
	};

	return cmocka_run_group_tests_name("EXPLAIN of MySQL", tests, NULL, NULL);
}
