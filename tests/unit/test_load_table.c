/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

#include <math.h>

DECLARE_FORMAT(load_table);

static struct dossier *read_text(struct str text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	return d;
}

static void rows_are_numbers_of_clients(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = read_text(STR("Clients  TPS     avg (ms)  p99\n"
					  "-------  ------  --------  ------\n"
					  "1        412.5   2.42      8 ms\n"
					  "16       1.5k    -         900us\n"));
	const struct capture *c;
	const struct metrics *m;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	c = d->captures.data[0];
	m = c->metrics;
	assert_string_equal(c->format, "load-table");
	assert_int_equal(m->n_rows, 2);
	assert_int_equal(m->columns.len, 3);
	assert_str(symbols_name(&d->symbols, m->names.data[1]), "16");
	assert_str(strings_get(&d->strings, m->columns.data[0].unit), "/s");
	assert_str(strings_get(&d->strings, m->columns.data[1].name), "avg");
	assert_str(strings_get(&d->strings, m->columns.data[1].unit), "ns");
	assert_true(metrics_value(m, 0, 0) == 412.5);
	assert_true(metrics_value(m, 0, 1) == 2.42e6);
	assert_true(metrics_value(m, 0, 2) == 8e6);
	assert_true(metrics_value(m, 1, 0) == 1500);
	assert_true(isnan(metrics_value(m, 1, 1)));
	assert_true(metrics_value(m, 1, 2) == 900e3);
}

static void blanks_bars_and_commas_separate(void **state)
{
	static const char *const texts[] = {
		"users rps p50_ms\n4 50 80\n8 51 160\n",
		"| users | rps | p50 [ms] |\n|---|---:|---|\n| 4 | 50 | 80 |\n| 8 | 51 | 160 |\n",
		"users,rps,p50 ms\n4,50,80\n8,51,160\n",
		"users\trps\tp50 ms\n4\t50\t80\n8\t51\t160\n",
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		CLEANUP(dossier_freep) struct dossier *d = read_text(str_of(texts[i]));
		const struct metrics *m;

		assert_int_equal(d->captures.len, 1);
		m = d->captures.data[0]->metrics;
		assert_int_equal(m->n_rows, 2);
		assert_true(metrics_value(m, 1, 0) == 51);
		assert_true(metrics_value(m, 1, 1) == 160e6);
	}
}

static void other_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"clients  colour\n4  50\n8  51\n",           /* no rate */
		"rps  clients\n50  4\n51  8\n",              /* clients do not come first */
		"clients  rps\nfour  50\neight  51\n",       /* no numbers */
		"clients  rps\n4.5  50\n8.5  51\n",          /* no whole number of clients */
		"clients  rps\n4  50 apples\n8  51 pears\n", /* words in cells */
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_false(format_load_table.find(str_of(texts[i]), 0, &e));
	assert_int_equal(format_load_table.probe(STR("4 50 80\n8 51 160\n")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_numbers_of_clients),
		cmocka_unit_test(blanks_bars_and_commas_separate),
		cmocka_unit_test(other_tables_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
