/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/metrics_summary.h"
#include "base/out.h"
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
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

DECLARE_FORMAT(metric_table);

static const struct metrics *metrics_of(const struct dossier *d)
{
	assert_true(d->captures.len > 0);
	assert_non_null(d->captures.data[0]->metrics);
	return d->captures.data[0]->metrics;
}

#define assert_double(a, b) assert_true((a) >= (b) && (a) <= (b))

static void colons_of_both_widths_separate(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_metric_table,
			  "first_one : 4 : 52 : 98737.38783267883 : 0.3999999999999999 \xef\xbc\x9a"
			  "0\n"
			  "ns::second : 1 : 2 : 3 : 1.0 \xef\xbc\x9a"
			  "1\n"
			  "__third : -1 : 2 : 1e3 : 0.6 \xef\xbc\x9a"
			  "1");
	const struct metrics *m = metrics_of(d);
	struct out o;

	(void)state;
	assert_int_equal(m->n_rows, 3);
	assert_int_equal(m->columns.len, 5);
	assert_str(symbols_name(&d->symbols, m->names.data[1]), "ns::second");
	assert_int_equal(m->columns.data[0].name.v, 0);
	assert_true(m->columns.data[4].separator_is_fullwidth);
	assert_false(m->columns.data[3].separator_is_fullwidth);
	assert_true(m->columns.data[0].is_integer);
	assert_false(m->columns.data[2].is_integer);
	assert_double(metrics_value(m, 2, 2), 1000.0);
	assert_double(metrics_value(m, 2, 0), -1.0);
	assert_int_equal(m->lines.data[2], 3);
	assert_int_equal(m->texts.len, 0);
	out_init(&o);
	out_double(&o, metrics_value(m, 0, 2));
	out_char(&o, ' ');
	out_double(&o, metrics_value(m, 0, 3));
	assert_str(out_view(&o), "98737.38783267883 0.3999999999999999");
	out_fini(&o);
}

static void rows_that_a_mailer_broke_are_joined(void **state)
{
	struct str text = STR("See:\nfirst_one : 4 : 52 :\n98737.38783267883\n\xef\xbc\x9a 0\n"
			      "second_one : 1 : 2\n: 3 \xef\xbc\x9a 1\n"
			      "third_one : 1 : 2 : 3 \xef\xbc\x9a 1\nSo it is.\n");
	struct document_options raw = { .is_raw = true };
	CLEANUP(document_freep) struct document *doc = NULL;
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct metrics *m;

	(void)state;
	assert_int_equal(document_from_memory(text, &raw, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made up", NULL, NULL), OK);
	assert_int_equal(d->captures.data[0]->first_line, 2);
	assert_int_equal(d->captures.data[0]->last_line, 7);
	m = metrics_of(d);
	assert_int_equal(m->n_rows, 3);
	assert_int_equal(m->columns.len, 4);
	assert_double(metrics_value(m, 0, 2), 98737.38783267883);
	assert_int_equal(m->lines.data[1], 5);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "metric-wrapped-rows"), 2);
}

static void a_csv_keeps_titles_units_and_words(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_metric_table, "id,function,time(ms),share [%],file,note\r\n"
						"1,\"a, \"\"b\"\"\",1.5,10%,x.c,\r\n"
						"2,f(int),2,20%,y.c,n/a\r\n"
						"\r\n"
						"3,\"over\nlines\",oops,30%,z.c,\r\n"
						"4,short\r\n"
						"5,long,1,2,3,4,5\r\n");
	const struct capture *c = d->captures.data[0];
	const struct metrics *m = metrics_of(d);

	(void)state;
	assert_name(d, m->name_column, "function");
	assert_int_equal(m->columns.len, 5);
	assert_name(d, m->columns.data[1].name, "time");
	assert_name(d, m->columns.data[1].unit, "ms");
	assert_name(d, m->columns.data[2].unit, "%");
	assert_int_equal(m->columns.data[0].unit.v, 0);
	assert_true(m->columns.data[3].is_text);
	assert_int_equal(m->n_rows, 4);
	assert_str(symbols_name(&d->symbols, m->names.data[0]), "a, \"b\"");
	assert_str(symbols_name(&d->symbols, m->names.data[2]), "over\nlines");
	assert_double(metrics_value(m, 1, 1), 2.0);
	assert_double(metrics_value(m, 1, 2), 20.0);
	assert_true(isnan(metrics_value(m, 2, 1)));
	assert_name(d, m->texts.data[2 * 5 + 1], "oops");
	assert_name(d, m->texts.data[0 * 5 + 3], "x.c");
	assert_int_equal(m->texts.len, m->values.len);
	assert_int_equal(m->lines.data[3], 8);
	assert_int_equal(diag_get(&c->diag, "metric-not-a-number"), 1);
	assert_int_equal(diag_get(&c->diag, "metric-skipped-lines"), 1);
	assert_int_equal(diag_get(&c->diag, "metric-long-rows"), 1);
}

static void a_tsv_may_have_its_names_anywhere(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_metric_table, "calls\tname\n10\tmain\n20\tfoo\n30\tbar\n");
	const struct metrics *m = metrics_of(d);

	(void)state;
	assert_name(d, m->name_column, "name");
	assert_name(d, m->columns.data[0].name, "calls");
	assert_double(metrics_value(m, 2, 0), 30.0);
}

static void find_wants_names_numbers_and_three_rows(void **state)
{
	static const struct {
		const char *text;
		bool is_table;
	} cases[] = {
		{ "a_b : 1 : 2\nb_c : 1 : 2\nc_d : 1 : 2\n", true },
		{ "a_b : 1 : 2\nb_c : 1 : 2\n", false },
		{ "a_b : 1 : 2\nb_c : 1 : 2\nc_d : 1\n", false },
		{ "Note : 1 : two\nNote : 1 : two\nNote : 1 : two\n", false },
		{ "name,calls\nmain,1\nfoo,2\nbar,3\n", true },
		{ "name,calls\nmain,1\nfoo,2\n", false },
		{ "main,1\nfoo,2\nbar,3\n", false },
		{ "Well,\nsays he, and\nshe, too\nand, then\n", false },
		{ "one,two\nsome words,1\nmore words,2\nyet more,3\n", false },
		{ "1,2\n3,4\n5,6\n7,8\n", false },
		{ "int a, b;\nint c, d;\nint e, f;\nint g, h;\n", false },
		{ "main;foo 1\nmain;bar 2\nmain;baz 3\nmain;x 4\n", false },
		{ "Subject : a\nFrom : b\nTo : c\n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct extent e;

		assert_int_equal(format_metric_table.find(str_of(cases[i].text), 0, &e),
				 cases[i].is_table);
	}
}

static void columns_are_summed_up_and_paired(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_metric_table, "name,a,b,c\np,1,2,7\nq,2,4,7\nr,3,x,7\ns,4,0,7\n");
	const struct metrics *m = metrics_of(d);
	struct metrics_summary s;

	(void)state;
	metrics_summary_init(&s, m);
	assert_double(s.columns.data[0].median, 2.5);
	assert_double(s.columns.data[0].mean, 2.5);
	assert_int_equal(s.columns.data[0].max_row, 3);
	assert_int_equal(s.columns.data[1].missing, 1);
	assert_int_equal(s.columns.data[1].zeros, 1);
	assert_int_equal(s.columns.data[2].distinct, 1);
	assert_int_equal(s.columns.data[2].max_row, 0);
	assert_int_equal(s.pairs.len, 3);
	assert_int_equal(s.pairs.data[0].rows, 3);
	assert_true(isnan(s.pairs.data[1].pearson));
	assert_int_equal(metrics_rank(m, 1, 1), 1);
	assert_int_equal(metrics_rank(m, 1, 2), 0);
	assert_int_equal(metrics_rank(m, 2, 3), 1);
	metrics_summary_fini(&s);
}

struct expected_column {
	double min, max, median;
};

static void check_packet_columns(const struct metrics_summary *s)
{
	static const struct expected_column expected[] = {
		{ 0, 11, 2 },
		{ 1, 72, 4 },
		{ 203.52418449776007, 243463.89607397135, 4181.796997815282 },
		{ 38, 6173, 3852 },
		{ 0, 8, 2 },
		{ 0, 360, 5 },
		{ 0, 17, 1 },
		{ 0, 2, 0 },
		{ 0, 28, 2 },
		{ 1, 5, 2 },
		{ 0.19999999999999996, 1, 0.8 },
		{ 0, 1, 0 },
	};

	assert_int_equal(s->columns.len, ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_double(s->columns.data[i].min, expected[i].min);
		assert_double(s->columns.data[i].max, expected[i].max);
		assert_double(s->columns.data[i].median, expected[i].median);
	}
	assert_int_equal(s->columns.data[0].zeros, 12);
	assert_int_equal(s->columns.data[0].distinct, 7);
	assert_int_equal(s->columns.data[2].distinct, 99);
	assert_true(fabs(s->columns.data[2].stdev - 39481.899586) < 1e-6);
}

/* Columns count from 2, as c1 is the name. */
static void check_packet_pairs(const struct metrics_summary *s)
{
	static const struct {
		uint32_t a, b;
		double r;
	} pearson[] = { { 3, 4, 0.9489 }, { 3, 10, 0.9219 }, { 4, 10, 0.8447 },
			{ 6, 8, 0.8284 }, { 3, 11, 0.6941 }, { 10, 12, -0.6851 } },
	  spearman[] = {
		  { 6, 8, 0.9282 }, { 3, 4, 0.7648 }, { 4, 12, -0.7494 }, { 3, 11, 0.7038 }
	  };

	for (size_t i = 0; i < ARRAY_LEN(pearson); i++) {
		const struct metric_pair *p = &s->pairs.data[s->by_pearson.data[i]];

		assert_int_equal(p->a + 2, pearson[i].a);
		assert_int_equal(p->b + 2, pearson[i].b);
		assert_true(fabs(p->pearson - pearson[i].r) < 0.00005001);
	}
	for (size_t i = 0; i < ARRAY_LEN(spearman); i++) {
		const struct metric_pair *p = &s->pairs.data[s->by_spearman.data[i]];

		assert_int_equal(p->a + 2, spearman[i].a);
		assert_int_equal(p->b + 2, spearman[i].b);
		assert_true(fabs(p->spearman - spearman[i].r) < 0.00005001);
	}
}

static void the_packet_table_has_100_rows_of_13_columns(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const char *shared = getenv("ASSAY_SHARED");
	struct metrics_summary s;
	const struct metrics *m;
	size_t labelled = 0;
	char path[512];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/seeds/004_3024d9debeae2d09.txt",
		       shared ? shared : "");
	if (access(path, R_OK) != 0)
		SKIP_TEST("../shared/seeds is missing");
	assert_int_equal(load_input(d, path, NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	m = metrics_of(d);
	assert_int_equal(m->n_rows, 100);
	assert_int_equal(m->columns.len, 12); /* without the column of names */
	assert_true(m->columns.data[11].separator_is_fullwidth);
	for (size_t i = 0; i < m->n_rows; i++)
		labelled += metrics_value(m, i, 11) > 0;
	assert_int_equal(labelled, 2);
	assert_str(symbols_name(&d->symbols, m->names.data[20]), "packet_recvmsg");
	assert_int_equal(m->lines.data[20], 21);
	assert_int_equal(metrics_rank(m, 1, 20), 9);
	assert_int_equal(metrics_rank(m, 10, 20), 84);
	metrics_summary_init(&s, m);
	check_packet_columns(&s);
	check_packet_pairs(&s);
	metrics_summary_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colons_of_both_widths_separate),
		cmocka_unit_test(rows_that_a_mailer_broke_are_joined),
		cmocka_unit_test(a_csv_keeps_titles_units_and_words),
		cmocka_unit_test(a_tsv_may_have_its_names_anywhere),
		cmocka_unit_test(find_wants_names_numbers_and_three_rows),
		cmocka_unit_test(columns_are_summed_up_and_paired),
		cmocka_unit_test(the_packet_table_has_100_rows_of_13_columns),
	};

	return cmocka_run_group_tests_name("metric_table", tests, NULL, NULL);
}
