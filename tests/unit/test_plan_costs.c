/* SPDX-License-Identifier: MIT */
/* Plans of PostgreSQL without times. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/load.h"

static struct dossier *load(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	return d;
}

/* The counter @name of the node @key; -1: none. */
static double value(const struct dossier *d, const char *key, const char *name)
{
	VEC_FOREACH (row, &d->captures.data[0]->counters->rows) {
		if (str_eq(strings_get(&d->strings, row->key), str_of(key)) &&
		    str_eq(strings_get(&d->strings, row->name), str_of(name)))
			return counter_value(row);
	}
	return -1;
}

static void a_node_costs_what_its_children_do_not(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("Hash Join  (cost=10.00..150.00 rows=5 width=8)\n"
		     "  Hash Cond: (a.x = b.y)\n"
		     "  ->  Seq Scan on a  (cost=0.00..30.00 rows=5 width=4)\n"
		     "  ->  Hash  (cost=90.00..90.00 rows=900 width=4)\n"
		     "        ->  Seq Scan on b  (cost=0.00..80.00 rows=900 width=4)\n");

	(void)state;
	assert_string_equal(d->captures.data[0]->format, "plan-costs");
	assert_near(value(d, "Hash Join", "own cost"), 30, 0.001);
	assert_near(value(d, "Hash", "own cost"), 10, 0.001);
	assert_near(value(d, "Seq Scan on b", "estimated rows"), 900, 0.001);
	assert_near(value(d, "Seq Scan on b", "estimated runs"), -1, 0.001);
}

static void the_second_child_of_a_loop_runs_for_each_row_of_the_first(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("Nested Loop  (cost=0.00..500.00 rows=5 width=8)\n"
		     "  ->  Seq Scan on a  (cost=0.00..30.00 rows=40 width=4)\n"
		     "  ->  Index Scan using k on b  (cost=0.29..10.00 rows=1 width=4)\n");
	CLEANUP(dossier_freep)
	struct dossier *m = load("Nested Loop  (cost=0.00..500.00 rows=5 width=8)\n"
				 "  ->  Seq Scan on a  (cost=0.00..30.00 rows=40 width=4)\n"
				 "  ->  Materialize  (cost=0.00..10.00 rows=1 width=4)\n"
				 "        ->  Seq Scan on b  (cost=0.00..9.00 rows=1 width=4)\n");

	(void)state;
	assert_near(value(d, "Index Scan using k on b", "estimated runs"), 40, 0.001);
	assert_near(value(d, "Index Scan using k on b", "estimated cost"), 400, 0.001);
	assert_near(value(d, "Nested Loop", "own cost"), 70, 0.001);
	assert_near(value(m, "Seq Scan on b", "estimated runs"), -1, 0.001);
	assert_near(value(m, "Seq Scan on b", "estimated cost"), 9, 0.001);
}

static void figures_may_stand_in_the_next_line(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load("Nested Loop  (cost=0.00..500.00 rows=5 width=8)\n"
		     " -> Seq Scan on a\n     (cost=0.00..30.00 rows=40 width=4)\n"
		     "     Filter: (room = 4)\n"
		     " -> Index Scan using k on b\n     (cost=0.29..10.00 rows=1 width=4)\n");

	(void)state;
	assert_near(value(d, "Seq Scan on a", "estimated cost"), 30, 0.001);
	assert_near(value(d, "Index Scan using k on b", "estimated runs"), 40, 0.001);
}

static void a_plan_that_ran_has_another_reader(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("Nested Loop  (cost=0.00..500.00 rows=5 width=8) "
				 "(actual time=0.1..9.0 rows=5 loops=1)\n"
				 "  ->  Seq Scan on a  (cost=0.00..30.00 rows=40 width=4) "
				 "(actual time=0.1..2.0 rows=5 loops=1)\n");

	(void)state;
	assert_string_equal(d->captures.data[0]->format, "query-plan");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_costs_what_its_children_do_not),
		cmocka_unit_test(the_second_child_of_a_loop_runs_for_each_row_of_the_first),
		cmocka_unit_test(figures_may_stand_in_the_next_line),
		cmocka_unit_test(a_plan_that_ran_has_another_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
