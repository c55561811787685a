/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"

DECLARE_FORMAT(query_plan);

static struct dossier *dossier;

static const struct counters *read_plan(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	dossier = dossier_new();
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_query_plan.read(&in, dossier, NULL), OK);
	return dossier->captures.data[0]->counters;
}

/* The value of counter @name on line @line, in thousandths; -1: no such counter. */
static long figure(const struct counters *k, const char *name, uint32_t line)
{
	VEC_FOREACH (row, &k->rows) {
		if (row->line == line &&
		    str_eq(strings_get(&dossier->strings, row->name), str_of(name)))
			return (long)(counter_value(row) * 1000 + 0.5);
	}
	return -1;
}

#define NODE(name, time, rows, loops)                                                     \
	name "  (cost=0.00..9.00 rows=7 width=4) (actual time=0.001.." time " rows=" rows \
	     " loops=" loops ")\n"

static void the_own_time_is_without_the_nodes_below(void **state)
{
	const struct counters *k;

	(void)state;
	k = read_plan(NODE(" Nested Loop", "10.000", "5", "1")
			      NODE("   ->  Seq Scan on a", "2.000", "5", "1")
				      NODE("   ->  Index Scan using k on b", "1.500", "1", "5"));
	assert_int_equal(figure(k, "own time", 1), 500);
	assert_int_equal(figure(k, "own time", 2), 2000);
	assert_int_equal(figure(k, "own time", 3), 7500);
	assert_int_equal(figure(k, "estimated rows", 3), 7000);
	assert_int_equal(figure(k, "loops", 3), 5000);
	dossier_free(dossier);
}

static void processes_below_a_gather_share_the_work(void **state)
{
	const struct counters *k;

	(void)state;
	k = read_plan(NODE(" Gather", "10.000", "5", "1") "   Workers Launched: 2\n" NODE(
		"   ->  Parallel Seq Scan on a", "9.000", "5", "3"));
	assert_int_equal(figure(k, "own time", 1), 1000);
	assert_int_equal(figure(k, "own time", 3), 9000);
	dossier_free(dossier);
}

static void the_time_of_a_cte_is_in_its_scan(void **state)
{
	const struct counters *k;

	(void)state;
	k = read_plan(NODE(" Aggregate", "10.000", "1",
			   "1") "   CTE big\n" NODE("     ->  Seq Scan on a", "6.000", "5", "1")
			      NODE("   ->  CTE Scan on big x", "8.000", "5", "1"));
	assert_int_equal(figure(k, "own time", 1), 2000);
	assert_int_equal(figure(k, "own time", 3), 6000);
	assert_int_equal(figure(k, "own time", 4), 2000);
	dossier_free(dossier);
}

static void lines_below_a_node_add_to_it(void **state)
{
	const struct counters *k;

	(void)state;
	k = read_plan(NODE(" Sort", "10.000", "5",
			   "1") "   Sort Method: external merge  Disk: "
				"77kB\n" NODE("   ->  Seq Scan on a", "9.000", "5",
					      "1") "         Rows Removed by Filter: "
						   "12\n Execution Time: 10.250 ms\n");
	assert_int_equal(figure(k, "sort on disk", 1), 77000);
	assert_int_equal(figure(k, "rows removed", 3), 12000);
	assert_int_equal(figure(k, "elapsed time", 5), 10250);
	dossier_free(dossier);
}

static void a_list_goes_on_after_a_comma(void **state)
{
	const struct counters *k;
	struct extent e;
	static const char text[] = NODE(" Sort", "10.000", "5",
					"1") "   Sort Key: a, b,\n             round(c, 2), d,\n"
					     "             e\n"
					     "   Sort Method: external merge  Disk: 77kB\n";

	(void)state;
	assert_true(format_query_plan.find(str_of(text), 0, &e));
	assert_int_equal(e.to, sizeof(text) - 1);
	k = read_plan(text);
	assert_int_equal(figure(k, "sort on disk", 1), 77000);
	assert_int_equal(figure(k, "sort keys", 1), 5000);
	assert_int_equal(figure(k, "computed sort keys", 1), 1000);
	dossier_free(dossier);
	/* four keys are usual */
	k = read_plan(NODE(" Sort", "10.000", "5", "1") "   Sort Key: a, b, c, d\n");
	assert_int_equal(figure(k, "sort keys", 1), -1);
	dossier_free(dossier);
}

static void a_plan_needs_what_came(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_query_plan.find(STR(" Seq Scan on a  (cost=0.0..9.0 rows=7 width=4)\n"),
					    0, &e));
	assert_true(format_query_plan.find(STR(NODE(" Seq Scan on a", "9.000", "5", "1")), 0, &e));
}

static void the_next_plan_is_another_one(void **state)
{
	static const char one[] = NODE(" Result", "9.000", "5", "1") " Execution Time: 9.1 ms\n";
	char two[2 * sizeof(one)];
	struct extent e;

	(void)state;
	memcpy(two, one, sizeof(one) - 1);
	memcpy(two + sizeof(one) - 1, one, sizeof(one));
	assert_true(format_query_plan.find(str_of(two), 0, &e));
	assert_int_equal(e.to, sizeof(one) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_own_time_is_without_the_nodes_below),
		cmocka_unit_test(processes_below_a_gather_share_the_work),
		cmocka_unit_test(the_time_of_a_cte_is_in_its_scan),
		cmocka_unit_test(lines_below_a_node_add_to_it),
		cmocka_unit_test(a_list_goes_on_after_a_comma),
		cmocka_unit_test(a_plan_needs_what_came),
		cmocka_unit_test(the_next_plan_is_another_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
