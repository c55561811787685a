/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "core/names/statement.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"

#include <math.h>

DECLARE_FORMAT(slow_statements);

static struct dossier *dossier;

static const struct capture *read_text(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	dossier = dossier_new();
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_slow_statements.read(&in, dossier, NULL), OK);
	return dossier->captures.data[0];
}

static bool is_claimed(const char *text)
{
	struct extent e;

	return format_slow_statements.find(str_of(text), 0, &e);
}

static void shape_is(enum statement_language language, const char *text, const char *expected)
{
	char buffer[STATEMENT_BYTES];
	struct str shape = { buffer,
			     statement_shape(str_of(text), language, buffer, 0, STATEMENT_BYTES) };

	if (!str_eq(shape, str_of(expected)))
		print_error("%.*s is not %s\n", STR_ARG(shape), expected);
	assert_true(str_eq(shape, str_of(expected)));
}

static void literals_parameters_and_comments_are_no_part_of_a_shape(void **state)
{
	(void)state;
	shape_is(STATEMENT_SQL, "SELECT  a1\n FROM t WHERE b = 'it''s' AND c=12.5e3 AND d = $12",
		 "SELECT a1 FROM t WHERE b = ? AND c=? AND d = ?");
	shape_is(STATEMENT_SQL, "SELECT \"Order\" FROM t /* id 7 */ -- end\nWHERE x IN (1, 'a',3)",
		 "SELECT \"Order\" FROM t WHERE x IN (?)");
	shape_is(STATEMENT_SQL_QUOTES, "SELECT \"Or\\\"der\"", "SELECT ?");
	shape_is(STATEMENT_SQL, "INSERT INTO t VALUES (1, 2), (3, 4),(5, 6)",
		 "INSERT INTO t VALUES (?)");
	shape_is(STATEMENT_SQL, "SELECT (a), (1)", "SELECT (a), (?)");
	shape_is(STATEMENT_JSON, "{\"find\":\"t\",\"filter\":{\"a b\":\"x:\\\"y\",\"n\":[1,2]}}",
		 "{find: ?, filter: {a b: ?, n: [?]}}");
	shape_is(STATEMENT_SQL, "'open", "?");
}

static void equal_statements_are_one_row_with_sums(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text("# Query_time: 1.5  Lock_time: 0.5 Rows_sent: 1  Rows_examined: 10\n"
		      "use shop;\nSET timestamp=1;\nSELECT 1;\n"
		      "# Time: 2026\n"
		      "# Query_time: 2.5  Lock_time: 0 Rows_sent: 2  Rows_examined: 20\n"
		      "SELECT\n2;\n"
		      "# Query_time: 9  Lock_time: 0 Rows_sent: 0  Rows_examined: 0\n"
		      "# administrator command: Quit;\n");
	assert_int_equal(c->metrics->n_rows, 2);
	assert_near(metrics_value(c->metrics, 0, 1), 9e9, 0.5);
	assert_near(metrics_value(c->metrics, 1, 0), 2, 0);
	assert_near(metrics_value(c->metrics, 1, 1), 4e9, 0.5);
	assert_near(metrics_value(c->metrics, 1, 2), 2.5e9, 0.5);
	assert_near(metrics_value(c->metrics, 1, 3), 0.5e9, 0.5);
	assert_near(metrics_value(c->metrics, 1, 4), 30, 0);
	assert_near(metrics_value(c->metrics, 1, 5), 3, 0);
	assert_int_equal(c->metrics->lines.data[1], 6);
	dossier_free(dossier);
}

static void a_column_without_values_is_left_out(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text("LOG:  duration: 12.500 ms  statement: SELECT 1\n\tFROM t\n"
		      "LOG:  duration: 2.000 ms  execute S_1: SELECT $1 FROM t\n"
		      "1,\"LOG\",\"duration: 0.5 ms  statement: SELECT 7 FROM t\",,,\n");
	assert_int_equal(c->metrics->n_rows, 1);
	assert_int_equal(c->metrics->columns.len, 3);
	assert_near(metrics_value(c->metrics, 0, 1), 15e6, 0.5);
	dossier_free(dossier);
}

static void figures_of_documents_are_not_those_of_the_server(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text(
		"{\"msg\":\"Slow query\",\"attr\":{\"ns\":\"a.b\",\"command\":{\"find\":\"b\","
		"\"filter\":{\"docsExamined\":7}},\"planSummary\":\"COLLSCAN\","
		"\"docsExamined\":300,\"nreturned\":2,\"locks\":{\"Global\":{"
		"\"timeAcquiringMicros\":{\"r\":10,\"w\":5}},\"Database\":{"
		"\"timeAcquiringMicros\":{\"r\":1}}},\"durationMillis\":12}}\n");
	assert_int_equal(c->metrics->n_rows, 1);
	assert_near(metrics_value(c->metrics, 0, 3), 16e3, 0);
	assert_near(metrics_value(c->metrics, 0, 4), 300, 0);
	assert_true(str_eq(symbols_name(&dossier->symbols, c->metrics->names.data[0]),
			   STR("a.b COLLSCAN {find: ?, filter: {docsExamined: ?}}")));
	dossier_free(dossier);
}

static void a_record_needs_a_duration_and_a_statement(void **state)
{
	(void)state;
	assert_true(is_claimed("LOG:  duration: 1.0 ms  statement: SELECT 1\n"));
	assert_false(is_claimed("LOG:  duration: 1.0 ms\n"));
	assert_false(is_claimed("LOG:  duration: long ms  statement: SELECT 1\n"));
	assert_false(is_claimed("the duration: 5 ms  was long\n"));
	assert_false(is_claimed("{\"msg\":\"Slow query\",\"attr\":{\"durationMillis\":12}}\n"));
	assert_true(is_claimed("1) 1) (integer) 4\n   2) (integer) 9\n   3) (integer) 15\n"
			       "   4) 1) \"GET\"\n"));
	assert_false(is_claimed("1) 1) (integer) 4\n   2) (integer) 9\n   3) (integer) 15\n"));
	assert_false(is_claimed("1) 1) (integer) 4\n   2) (integer) 9\n   4) 1) \"GET\"\n"));
}

static void lines_above_a_cut_record_belong_to_it(void **state)
{
	const struct str text = STR("# Query_time: 1  Lock_time: 0 Rows_sent: 1  Rows_examined: 1\n"
				    "SELECT 1;\n# Time: 2026\n# User@Host: a\n");
	const struct str prose =
		STR("# Query_time: 1  Lock_time: 0 Rows_sent: 1  Rows_examined: 1\n"
		    "SELECT 1;\nThat was slow.\n");
	struct extent e;

	(void)state;
	assert_true(format_slow_statements.find(text, 0, &e));
	assert_int_equal(e.to, text.len);
	assert_true(format_slow_statements.find(prose, 0, &e));
	assert_int_equal(e.to, prose.len - 15);
}

static void a_plan_with_times_is_left_to_its_reader(void **state)
{
	(void)state;
	assert_true(is_claimed("LOG:  duration: 1.0 ms  plan:\n\tQuery Text: SELECT 1\n"
			       "\tResult  (cost=0.00..0.01 rows=1 width=4)\n"));
	assert_false(is_claimed("LOG:  duration: 1.0 ms  plan:\n\tQuery Text: SELECT 1\n"
				"\tResult  (cost=0.00..0.01 rows=1 width=4) (actual time=0.1..0.2 "
				"rows=1 loops=1)\n"));
}

static void a_duration_without_its_statement_is_counted(void **state)
{
	const struct capture *c;

	(void)state;
	c = read_text("# Query_time: 1.5  Lock_time: 0.5 Rows_sent: 1  Rows_examined: 10\n"
		      "# User@Host: a\n"
		      "# Query_time: 1.5  Lock_time: 0.5 Rows_sent: 1  Rows_examined: 10\n"
		      "SELECT 1;\n");
	assert_int_equal(c->metrics->n_rows, 2);
	assert_int_equal(diag_get(&c->diag, "slow-statements-nameless"), 1);
	dossier_free(dossier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_parameters_and_comments_are_no_part_of_a_shape),
		cmocka_unit_test(equal_statements_are_one_row_with_sums),
		cmocka_unit_test(a_column_without_values_is_left_out),
		cmocka_unit_test(figures_of_documents_are_not_those_of_the_server),
		cmocka_unit_test(a_record_needs_a_duration_and_a_statement),
		cmocka_unit_test(lines_above_a_cut_record_belong_to_it),
		cmocka_unit_test(a_plan_with_times_is_left_to_its_reader),
		cmocka_unit_test(a_duration_without_its_statement_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
