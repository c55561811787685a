/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "document/document.h"
#include "formats/format.h"

#include "core/ids.h"
#include "core/strings.h"
#include "texts.h"

DECLARE_FORMAT(counter_lines);

struct fixture {
	struct dossier *d;
	struct document *doc;
	const struct counters *k;
};

static void fixture_read(struct fixture *f, const char *text)
{
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	f->d = dossier_new();
	assert_int_equal(document_from_memory(in.text, &raw, &f->doc, NULL), OK);
	in.doc = f->doc;
	assert_int_equal(format_counter_lines.read(&in, f->d, NULL), OK);
	f->k = f->d->captures.data[0]->counters;
}

static void fixture_free(struct fixture *f)
{
	document_freep(&f->doc);
	dossier_freep(&f->d);
}

static struct str fixture_string(const struct fixture *f, str_id id)
{
	return strings_get(capture_strings(f->d->captures.data[0]), id);
}

static void blanks_do_not_group_digits(void **state)
{
	struct fixture f = { .d = NULL };

	(void)state;
	fixture_read(&f, "cpu0 1 0 100 200 300 150 123 456 789\n");
	assert_int_equal(f.k->rows.len, 8);
	assert_int_equal(f.k->rows.data[7].value, 789);
	assert_int_equal(f.k->rows.data[5].value, 123);
	fixture_free(&f);
}

static void the_resource_stands_above_its_lines(void **state)
{
	struct fixture f = { .d = NULL };
	const struct counter *last;

	(void)state;
	fixture_read(&f, "==> /proc/pressure/cpu <==\n"
			 "some avg10=1.25 avg60=0.00 avg300=0.00 total=12\n"
			 "==> /proc/pressure/io <==\n"
			 "some avg10=2.50 avg60=0.00 avg300=0.00 total=13\n");
	last = &f.k->rows.data[4];
	assert_int_equal(f.k->rows.len, 8);
	assert_int_equal(last->value, 250);
	assert_int_equal(last->decimals, 2);
	assert_true(str_eq(fixture_string(&f, last->key), STR("io some")));
	assert_int_equal(f.k->n_intervals, 1);
	fixture_free(&f);
}

static void each_collection_is_an_interval(void **state)
{
	static const char text[] = "gc 1 @0.01s 2%: 0.1+1.3+0.2 ms clock, 0.1+0/1/3+0.2 ms cpu, "
				   "4->5->1 MB, 5 MB goal, 4 P\n"
				   "gc 2 @0.02s 3%: 0.1+1.3+0.2 ms clock, 0.1+0/1/3+0.2 ms cpu, "
				   "4->5->1 MB, 5 MB goal, 4 P (forced)\n";
	struct fixture f = { .d = NULL };

	(void)state;
	fixture_read(&f, text);
	assert_int_equal(f.k->n_intervals, 2);
	assert_int_equal(f.k->rows.len, 22);
	assert_int_equal(f.k->rows.data[12].value, 3);
	assert_int_equal(f.k->rows.data[12].interval, 1);
	/* collections, and forced ones */
	assert_int_equal(f.k->rows.data[9].value, 1);
	assert_int_equal(f.k->rows.data[10].value, 0);
	assert_int_equal(f.k->rows.data[20].value, 1);
	assert_int_equal(f.k->rows.data[21].value, 1);
	fixture_free(&f);
}

static void the_first_line_again_begins_another_group(void **state)
{
	static const char text[] = "some avg10=1.25 avg60=0.00 avg300=0.00 total=12\n"
				   "full avg10=1.25 avg60=0.00 avg300=0.00 total=12\n"
				   "some avg10=1.25 avg60=0.00 avg300=0.00 total=12\n";
	struct extent e;

	(void)state;
	assert_true(format_counter_lines.find(STR(text), 0, &e));
	assert_int_equal(e.to, (sizeof(text) - 1) / 3 * 2);
}

static void a_key_in_brackets_may_hold_blanks(void **state)
{
	struct fixture f = { .d = NULL };

	(void)state;
	fixture_read(&f, "@reads[kworker/0:1, 12 3]: 45\n@reads[a]: 1\n@all: 46\n");
	assert_int_equal(f.k->rows.len, 3);
	assert_int_equal(f.k->rows.data[0].value, 45);
	assert_true(
		str_eq(fixture_string(&f, f.k->rows.data[0].key), STR("reads kworker/0:1, 12 3")));
	assert_true(str_eq(fixture_string(&f, f.k->rows.data[2].key), STR("all")));
	fixture_free(&f);
}

static void words_with_a_colon_are_figures_of_a_connection(void **state)
{
	struct fixture f = { .d = NULL };

	(void)state;
	fixture_read(&f, "ESTAB 0 0 10.0.0.1:443 10.0.0.9:51812 users:((\"a\",pid=1))\n"
			 "\t cubic rtt:23.5/2.1 mss:1448 cwnd:10 retrans:1/561 busy:120ms\n");
	assert_int_equal(f.k->rows.len, 5);
	assert_true(str_eq(fixture_string(&f, f.k->rows.data[0].key),
			   STR("10.0.0.1:443 10.0.0.9:51812")));
	assert_int_equal(f.k->rows.data[0].value, 235);
	assert_true(str_eq(fixture_string(&f, f.k->rows.data[3].name), STR("retrans")));
	assert_int_equal(f.k->rows.data[3].value, 561);
	assert_true(str_eq(fixture_string(&f, f.k->rows.data[4].unit), STR("ms")));
	fixture_free(&f);
}

static void columns_of_softnet_stat_are_hexadecimal(void **state)
{
	struct fixture f = { .d = NULL };

	(void)state;
	fixture_read(&f, "0000ffff 00000010 00000002 00000000 00000000 00000000 00000000 00000000 "
			 "00000000 00000000 00000000 00000000 0000000b\n");
	assert_int_equal(f.k->rows.len, 6);
	assert_int_equal(f.k->rows.data[0].value, 65535);
	assert_int_equal(f.k->rows.data[1].value, 16);
	assert_true(str_eq(fixture_string(&f, f.k->rows.data[0].key), STR("CPU11")));
	fixture_free(&f);
}

static void other_lines_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"some avg10=high avg60=0.00 avg300=0.00 total=12\n",
		"cpu0 is at 100 % and cpu1 is idle\n",
		"processes 12\nctxt 12345678\n",
		"gc 1 @0.01s 2%: forced\n",
		"Node 0, zone DMA 1 2 3\n",
		"@param: 3\n",
		"@[\n    vfs_read+5\n]: 12\n",
		"cpu0 1 2 3 4 5 6 7 8 9 10 11 12\n",
		"mss:1448 cwnd:10 rtt:fast\n",
		"0000ffff 00000010 00000002\n",
	};

	(void)state;
	text_claims_none(&format_counter_lines, texts, ARRAY_LEN(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_do_not_group_digits),
		cmocka_unit_test(the_resource_stands_above_its_lines),
		cmocka_unit_test(each_collection_is_an_interval),
		cmocka_unit_test(the_first_line_again_begins_another_group),
		cmocka_unit_test(a_key_in_brackets_may_hold_blanks),
		cmocka_unit_test(words_with_a_colon_are_figures_of_a_connection),
		cmocka_unit_test(columns_of_softnet_stat_are_hexadecimal),
		cmocka_unit_test(other_lines_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
