/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

DECLARE_FORMAT(counter_columns);

static struct dossier *load(const char *text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	return d;
}

static void columns_of_a_drawn_table_are_captures(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("Some prose.\n"
				 "  +---------+-----------+-----------+------------------+\n"
				 "  |         | HEAD^     | HEAD      | Delta            |\n"
				 "  +---------+-----------+-----------+------------------+\n"
				 "  | elapsed |  400.0 s  |  300.0 s  | -100.0 s (-25 %) |\n"
				 "  | cycles  | 1,200.5 B |   900.0 B | -300.0 B (-25 %) |\n"
				 "  | CPI     |    1.200  |    0.899  | -0.301 (-25 %)   |\n"
				 "  +---------+-----------+-----------+------------------+\n");
	const struct counters *k;

	(void)state;
	assert_int_equal(d->captures.len, 2);
	assert_string_equal(d->captures.data[0]->format, "counter-columns");
	k = d->captures.data[0]->counters;
	assert_int_equal(k->rows.len, 3);
	assert_str(strings_get(&d->strings, k->label), "HEAD^");
	assert_near(counter_value(&k->rows.data[0]), 400, 1e-9);
	assert_str(strings_get(&d->strings, k->rows.data[0].unit), "s");
	assert_near(counter_value(&k->rows.data[1]), 1200.5e9, 0);
	assert_near(counter_value(&k->rows.data[2]), 1.2, 1e-9);
	assert_int_equal(k->rows.data[1].line, 6);
	k = d->captures.data[1]->counters;
	assert_str(strings_get(&d->strings, k->label), "HEAD");
	assert_near(counter_value(&k->rows.data[1]), 900e9, 0);
	assert_int_equal(d->captures.data[0]->diag.entries.len, 0);
}

static void markdown_and_aligned_columns_are_tables(void **state)
{
	static const char *const texts[] = {
		"| event | old | new |\n|---|---:|---:|\n| cycles | 3.00G | 2.00G |\n"
		"| cache-misses | 90.0M | 10.0M |\n",
		"               before     after\ncycles   3.00G   2.00G\ncache-misses   90.0M   "
		"10.0M\n",
		"event\tmaster\tpatch\tdiff\ncycles\t3.00G\t2.00G\t-33%\n"
		"cache-misses\t90.0M\t10.0M\t-89%\n",
		"  counter   old   new\n  cycles   3.00G   2.00G\n  cache-misses   90.0M   10.0M\n",
		"\xe2\x94\x82 \xe2\x94\x82 old \xe2\x94\x82 new \xe2\x94\x82\n"
		"\xe2\x94\x9c\xe2\x94\x80\xe2\x94\xbc\xe2\x94\x80\xe2\x94\xa4\n"
		"\xe2\x94\x82 cycles \xe2\x94\x82 3.00G \xe2\x94\x82 2.00G \xe2\x94\x82\n"
		"\xe2\x94\x82 cache-misses \xe2\x94\x82 90.0M \xe2\x94\x82 10.0M \xe2\x94\x82\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(dossier_freep) struct dossier *d = load(texts[i]);

		assert_int_equal(d->captures.len, 2);
		assert_near(counter_value(&d->captures.data[0]->counters->rows.data[0]), 3e9, 0);
		assert_near(counter_value(&d->captures.data[1]->counters->rows.data[1]), 1e7, 0);
	}
}

static void a_change_that_contradicts_its_values_is_counted(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load("            before   after   change\n"
				 "cycles      200      150     -25.0%\n"
				 "branches    200      150     -33.3%\n" /* relative to after */
				 "page-faults  200      150     +11.0%\n");

	(void)state;
	assert_int_equal(d->captures.len, 2);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "counter-columns-change"), 1);
	assert_int_equal(d->captures.data[0]->diag.entries.data[0].first_line, 4);
}

static void other_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"we compared before and after:\ncycles went from 3 to 2\n",
		"name   before   after\nfoo   1   2\nbar   3   4\n",
		"event   a   b   c\ncycles   1   2   3\nbranches   1   2   3\n",
		"event   before   after\ncycles   3   2\n",
		"event   1   2\ncycles   3   2\nbranches   4   5\n",
		"| | | |\n|\n||||||||||||||||||||\n",
	};

	(void)state;
	text_claims_none(&format_counter_columns, texts, ARRAY_LEN(texts));
}

static void titles_that_name_sides_need_no_known_counters(void **state)
{
	struct extent e;

	(void)state;
	assert_true(format_counter_columns.find(
		STR("size   before   after\n1   10   11\n2   19   21\n4   30   39\n"), 0, &e));
	assert_false(format_counter_columns.find(
		STR("size   before   after\n1   10   11\n2   19   21\n"), 0, &e));
	assert_true(format_counter_columns.find(
		STR("size   before   after\n1   10 ms   11 ms\n2   19 ms   21 ms\n"), 0, &e));
	assert_true(format_counter_columns.find(
		STR("name   old ns/op   new ns/op   delta\nEncode   1234   910   -26.26%\n"), 0,
		&e));
	assert_false(format_counter_columns.find(
		STR("size   left   right\n1   10   11\n2   19   21\n4   30   39\n"), 0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_a_drawn_table_are_captures),
		cmocka_unit_test(markdown_and_aligned_columns_are_tables),
		cmocka_unit_test(a_change_that_contradicts_its_values_is_counted),
		cmocka_unit_test(other_tables_are_nobodys),
		cmocka_unit_test(titles_that_name_sides_need_no_known_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
