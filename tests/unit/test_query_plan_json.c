/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "texts.h"

#include "config.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"

DECLARE_FORMAT(query_plan);
DECLARE_FORMAT(query_plan_json);

static const char plan_text[] =
	"Limit  (cost=0.00..9.99 rows=5 width=8) (actual time=0.100..9.000 rows=5 loops=1)\n"
	"  CTE t\n"
	"    ->  Seq Scan on o  (cost=0.00..4.00 rows=50 width=8) (actual time=0.010..2.000 "
	"rows=40 "
	"loops=1)\n"
	"          Filter: (st = 'open'::text)\n"
	"          Rows Removed by Filter: 60\n"
	"  ->  Hash Left Join  (cost=0.00..9.00 rows=5 width=8) (actual time=0.050..8.000 rows=5 "
	"loops=1)\n"
	"        ->  CTE Scan on t a  (cost=0.00..1.00 rows=50 width=8) (actual time=0.010..3.000 "
	"rows=40 loops=1)\n"
	"        ->  Index Scan Backward using c_pkey on public.c b  (cost=0.00..1.00 rows=1 "
	"width=8) "
	"(actual time=0.001..0.002 rows=1 loops=40)\n"
	"              Buffers: shared hit=80 read=7\n"
	"        ->  Partial HashAggregate  (cost=0.00..1.00 rows=1 width=8) (never executed)\n"
	"Execution Time: 9.500 ms\n";

static const char plan_json[] =
	"[\n{\n\"Plan\": {\n"
	"\"Node Type\": \"Limit\",\n\"Plan Rows\": 5,\n\"Actual Total Time\": 9.000,\n"
	"\"Actual Rows\": 5,\n\"Actual Loops\": 1,\n\"Plans\": [\n"
	"{\n\"Node Type\": \"Seq Scan\",\n\"Parent Relationship\": \"InitPlan\",\n"
	"\"Subplan Name\": \"CTE t\",\n\"Relation Name\": \"o\",\n\"Alias\": \"o\",\n"
	"\"Plan Rows\": 50,\n\"Actual Total Time\": 2.000,\n\"Actual Rows\": 40,\n"
	"\"Actual Loops\": 1,\n\"Filter\": \"(st = 'open'::text)\",\n"
	"\"Rows Removed by Filter\": 60\n},\n"
	"{\n\"Node Type\": \"Hash Join\",\n\"Join Type\": \"Left\",\n\"Plan Rows\": 5,\n"
	"\"Actual Total Time\": 8.000,\n\"Actual Rows\": 5,\n\"Actual Loops\": 1,\n\"Plans\": [\n"
	"{\n\"Node Type\": \"CTE Scan\",\n\"CTE Name\": \"t\",\n\"Alias\": \"a\",\n"
	"\"Plan Rows\": 50,\n\"Actual Total Time\": 3.000,\n\"Actual Rows\": 40,\n"
	"\"Actual Loops\": 1\n},\n"
	"{\n\"Node Type\": \"Index Scan\",\n\"Scan Direction\": \"Backward\",\n"
	"\"Index Name\": \"c_pkey\",\n\"Relation Name\": \"c\",\n\"Schema\": \"public\",\n"
	"\"Alias\": \"b\",\n\"Plan Rows\": 1,\n\"Actual Total Time\": 0.002,\n"
	"\"Actual Rows\": 1,\n\"Actual Loops\": 40,\n\"Shared Hit Blocks\": 80,\n"
	"\"Shared Read Blocks\": 7\n},\n"
	"{\n\"Node Type\": \"Aggregate\",\n\"Strategy\": \"Hashed\",\n\"Partial Mode\": "
	"\"Partial\",\n"
	"\"Plan Rows\": 1,\n\"Actual Total Time\": 0.000,\n\"Actual Rows\": 0,\n"
	"\"Actual Loops\": 0\n}\n]\n}\n]\n},\n"
	"\"Execution Time\": 9.500\n}\n]\n";

static void text_and_json_of_one_plan_give_the_same_counters(void **state)
{
	CLEANUP(dossier_freep) struct dossier *text = text_load(&format_query_plan, plan_text);
	CLEANUP(dossier_freep) struct dossier *json = text_load(&format_query_plan_json, plan_json);
	const struct counters *a, *b;

	(void)state;
	assert_int_equal(text->captures.len, 1);
	if (json->captures.len == 0)
		skip(); /* a build without json-c */
	assert_string_equal(json->captures.data[0]->format, "query-plan-json");
	a = text->captures.data[0]->counters;
	b = json->captures.data[0]->counters;
	assert_int_equal(a->rows.len, b->rows.len);
	for (size_t i = 0; i < a->rows.len; i++) {
		const struct counter *x = &a->rows.data[i], *y = &b->rows.data[i];

		assert_true(str_eq(strings_get(&text->strings, x->name),
				   strings_get(&json->strings, y->name)));
		assert_true(str_eq(strings_get(&text->strings, x->key),
				   strings_get(&json->strings, y->key)));
		assert_int_equal(x->value, y->value);
		assert_true(str_eq(strings_get(&text->strings, x->comment),
				   strings_get(&json->strings, y->comment)));
	}
	/* the line of "Node Type" of the index scan */
	assert_true(text_counter(json, "own time",
				 "Index Scan Backward using c_pkey on public.c b") >= 0.079);
}

static const char maria_head[] =
	"ANALYZE: {\n\"query_block\": {\n\"select_id\": 1,\n\"r_loops\": 1,\n"
	"\"r_total_time_ms\": 30.0,\n\"filesort\": {\n\"sort_key\": \"o.amt\",\n\"r_loops\": 1,\n"
	"\"r_total_time_ms\": 4.0,\n\"r_output_rows\": 5,\n";
static const char maria_table[] =
	"\"table\": {\n\"table_name\": \"o\",\n\"access_type\": \"ALL\",\n\"r_loops\": 1,\n"
	"\"rows\": 900,\n\"r_rows\": 1000,\n\"r_table_time_ms\": 2.0,\n\"r_other_time_ms\": 1.0,\n"
	"\"filtered\": 50,\n\"r_filtered\": 10,\n\"attached_condition\": \"o.st = "
	"1\"\n}\n";

static struct dossier *maria(const char *before, const char *after)
{
	CLEANUP(out_fini) struct out o = { .fd = -1 };

	out_printf(&o, "%s%s%s%s%s", maria_head, before, maria_table, after, "}\n}\n}\n");
	out_char(&o, '\0');
	return text_load(&format_query_plan_json, o.data);
}

static void a_table_of_mariadb_has_rows_before_and_after_its_condition(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = maria("", "");
	const char *table = "Table scan on o";

	(void)state;
	assert_near(text_counter(d, "rows", table), 100, 1e-6);
	assert_near(text_counter(d, "rows removed", table), 900, 1e-6);
	assert_near(text_counter(d, "estimated rows", table), 450, 1e-6);
	assert_near(text_counter(d, "own time", table), 3, 1e-6);
	/* a block prints no rows */
	assert_near(text_counter(d, "rows", "Query block 1"), -1, 1e-6);
	assert_near(text_counter(d, "own time", "Query block 1"), 26, 1e-6);
}

static void a_sort_includes_its_table_but_not_the_filling_of_a_temporary_one(void **state)
{
	CLEANUP(dossier_freep) struct dossier *direct = maria("", "");
	CLEANUP(dossier_freep) struct dossier *filled = maria("\"temporary_table\": {\n", "}\n");

	(void)state;
	assert_near(text_counter(direct, "own time", "Sort: o.amt"), 1, 1e-6);
	assert_near(text_counter(filled, "own time", "Sort: o.amt"), 4, 1e-6);
	assert_near(text_counter(filled, "own time", "Temporary table"), 0, 1e-6);
	assert_near(text_counter(filled, "own time", "Query block 1"), 23, 1e-6);
}

static void documents_without_times_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_query_plan_json.find(
		STR("[\n{\n\"Plan\": {\n\"Node Type\": \"Seq Scan\"\n}\n}\n]\n"), 0, &e));
	assert_false(
		format_query_plan_json.find(STR("{\n\"a\": {\n\"r_loops\": 1\n}\n}\n"), 0, &e));
	/* key of the plan and loops are both there, on one line */
	assert_true(format_query_plan_json.find(
		STR("{\"query_block\": {\"select_id\": 1, \"r_loops\": 1, \"cost\": 0.2}}\n"), 0,
		&e));
}

static void plans_need_json(void **state)
{
	(void)state;
	SKIP_TEST("this build cannot read JSON: it has no json-c");
}

int main(void)
{
	const struct CMUnitTest none[] = { cmocka_unit_test(plans_need_json) };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_json_of_one_plan_give_the_same_counters),
		cmocka_unit_test(a_table_of_mariadb_has_rows_before_and_after_its_condition),
		cmocka_unit_test(a_sort_includes_its_table_but_not_the_filling_of_a_temporary_one),
		cmocka_unit_test(documents_without_times_are_nobodys),
	};

	return HAVE_JSON ? cmocka_run_group_tests(tests, NULL, NULL)
			 : cmocka_run_group_tests(none, NULL, NULL);
}
