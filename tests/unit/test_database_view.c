/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/format.h"
#include "texts.h"

DECLARE_FORMAT(database_view);

/* The value of the counter @name of the table @key; -1: none. */
static double view_value(const struct capture *c, const char *key, const char *name)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (str_eq(strings_get(capture_strings(c), row->name), str_of(name)) &&
		    str_eq(strings_get(capture_strings(c), row->key), str_of(key)))
			return counter_value(row);
	}
	return -1;
}

static void figures_have_the_table_as_their_key(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c =
		text_detect(d, " schemaname | relname | seq_scan | seq_tup_read | avg | idx_scan\n"
			       "------------+---------+----------+--------------+-----+----------\n"
			       " public     | visits  |      120 |   84,000,000 | 7e5 |        7\n"
			       " public     | small   |       11 |           99 |   9 |         \n"
			       "(2 rows)\n");

	(void)state;
	assert_string_equal(c->format, "database-view");
	assert_str(strings_get(&d->strings, c->counters->tool), "pg_stat_all_tables");
	assert_int_equal(c->counters->rows.len, 5);
	assert_true(view_value(c, "visits", "seq_tup_read") == 84e6);
	assert_true(view_value(c, "visits", "avg") == -1);
	assert_true(view_value(c, "small", "seq_scan") == 11);
	assert_true(view_value(c, "small", "idx_scan") == -1);
	assert_int_equal(c->counters->rows.data[3].line, 4);
	assert_int_equal(diag_get(&c->diag, "database-view-lines"), 0);
}

static void records_are_rows(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct capture *c = text_detect(d, "-[ RECORD 1 ]+-------\n"
						 "relname      | visits\n"
						 "seq_scan     | 120\n"
						 "idx_scan     | 7\n"
						 "-[ RECORD 2 ]+-------\n"
						 "relname      | small\n"
						 "seq_scan     | 11\n"
						 "idx_scan     | 0\n");

	(void)state;
	assert_string_equal(c->format, "database-view");
	assert_int_equal(c->counters->rows.len, 4);
	assert_true(view_value(c, "small", "seq_scan") == 11);
	assert_int_equal(c->counters->rows.data[2].line, 6);
}

static void the_query_names_the_table_if_no_column_does(void **state)
{
	CLEANUP(dossier_freep) struct dossier *one = dossier_new();
	CLEANUP(dossier_freep) struct dossier *two = dossier_new();

	(void)state;
	assert_true(view_value(text_detect(one, "select * where relname='visits';\n"
						" n_live_tup | n_dead_tup\n"
						"------------+------------\n"
						"         40 |        612\n"),
			       "visits", "n_dead_tup") == 612);
	assert_true(view_value(text_detect(two, "select * where relname='a' or relname='b';\n"
						" n_live_tup | n_dead_tup\n"
						"------------+------------\n"
						"         40 |        612\n"),
			       "", "n_dead_tup") == 612);
}

static void one_title_and_rows_of_words_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_database_view.find(STR("relname | seq_scan | x\nvisits | 120 | 3\n"), 0,
					       &e));
	assert_false(format_database_view.find(
		STR("relname | seq_scan | idx_scan\nvisits | many | few\n"), 0, &e));
	assert_false(format_database_view.find(STR("relname | seq_scan | idx_scan\n"), 0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_have_the_table_as_their_key),
		cmocka_unit_test(records_are_rows),
		cmocka_unit_test(the_query_names_the_table_if_no_column_does),
		cmocka_unit_test(one_title_and_rows_of_words_are_nobodys),
	};

	return cmocka_run_group_tests_name("database_view", tests, NULL, NULL);
}
