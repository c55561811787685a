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

DECLARE_FORMAT(statement_table);

#define TITLES "query | calls | total_exec_time | rows\n------+-------+-----------------+-----\n"

static struct dossier *dossier;

static const struct capture *read_text(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	dossier = dossier_new();
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_statement_table.read(&in, dossier, NULL), OK);
	return dossier->captures.data[0];
}

static bool is_claimed(const char *text)
{
	struct extent e;

	return format_statement_table.find(str_of(text), 0, &e);
}

static void row_is(const struct capture *c, size_t row, const char *name, double calls, double ns)
{
	const struct metrics *m = c->metrics;
	struct str is = symbols_name(capture_symbols(c), m->names.data[row]);

	assert_true(str_eq(is, str_of(name)));
	assert_true(metrics_value(m, row, 0) == calls);
	assert_true(metrics_value(m, row, 1) == ns);
}

static void a_statement_may_contain_the_bar_between_cells(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text(TITLES " SELECT a || b FROM t | 3 | 12.5 | 7\n");
	row_is(c, 0, "SELECT a || b FROM t", 3, 12.5e6);
	dossier_free(dossier);
}

static void lines_of_a_statement_are_joined(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text(TITLES " SELECT a +| 3 | 12.5 | 7\n FROM t | | | \n COMMIT | 4 | 1 | 0\n");
	assert_int_equal(c->metrics->n_rows, 2);
	row_is(c, 0, "SELECT a FROM t", 3, 12.5e6);
	row_is(c, 1, "COMMIT", 4, 1e6);
	dossier_free(dossier);
}

static void rows_of_one_statement_add_up(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text(TITLES " COMMIT | 4 | 1 | 0\n COMMIT | 6 | 2 | 0\n");
	assert_int_equal(c->metrics->n_rows, 1);
	row_is(c, 0, "COMMIT", 10, 3e6);
	dossier_free(dossier);
}

static void a_total_follows_from_the_mean_and_the_calls(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text("query | calls | mean_exec_time\nCOMMIT | 4 | 2.5\n");
	row_is(c, 0, "COMMIT", 4, 10e6);
	dossier_free(dossier);
}

static void durations_have_their_unit(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text("| query | exec_count | total_latency |\n| COMMIT | 4 | 1.50 min |\n"
		      "| BEGIN | 4 | 2 fortnights |\n| SELECT a | 1 | 7000 |\n");
	assert_int_equal(c->metrics->n_rows, 2);
	row_is(c, 0, "COMMIT", 4, 90e9);
	row_is(c, 1, "SELECT a", 1, 7);
	assert_int_equal(diag_get(&c->diag, "statement-table-rows"), 1);
	dossier_free(dossier);
}

static void other_tables_are_not_claimed(void **state)
{
	(void)state;
	assert_true(is_claimed(TITLES " COMMIT | 4 | 1 | 0\n"));
	assert_false(is_claimed("query | calls | rows\nCOMMIT | 4 | 1\n"));
	assert_false(is_claimed("name | calls | total_time\nCOMMIT | 4 | 1\n"));
	assert_false(is_claimed("*************************** 1. row ***************************\n"
				"           Id: 5\n         User: app\n         Info: SELECT 1\n"));
	assert_false(is_claimed(TITLES "(0 rows)\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_statement_may_contain_the_bar_between_cells),
		cmocka_unit_test(lines_of_a_statement_are_joined),
		cmocka_unit_test(rows_of_one_statement_add_up),
		cmocka_unit_test(a_total_follows_from_the_mean_and_the_calls),
		cmocka_unit_test(durations_have_their_unit),
		cmocka_unit_test(other_tables_are_not_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
