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

DECLARE_FORMAT(counter_pairs);

static void three_names_of_one_tool_are_a_group(void **state)
{
	struct extent e;

	(void)state;
	assert_true(format_counter_pairs.find(STR("MemTotal: 3 kB\nMemFree: 2 kB\nSlab: 1 kB\n"), 0,
					      &e));
	assert_false(format_counter_pairs.find(STR("MemTotal: 3 kB\nMemFree: 2 kB\n"), 0, &e));
	assert_true(format_counter_pairs.find(STR("pswpin 12\npswpout 3\npgmajfault 9\nprose\n"), 0,
					      &e));
}

static void a_name_that_comes_again_begins_another_group(void **state)
{
	static const char text[] = "Size: 4 kB\nRss: 3 kB\nPss: 1 kB\n"
				   "Size: 8 kB\nRss: 7 kB\nPss: 5 kB\n";
	struct extent e;

	(void)state;
	assert_true(format_counter_pairs.find(STR(text), 0, &e));
	assert_int_equal(e.to, (sizeof(text) - 1) / 2);
}

static void values_keep_their_unit_and_digits(void **state)
{
	static const char text[] = "Requests/sec: 748868.53\nTransfer/sec:    606.33MB\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = STR(text), .first_line = 1 };
	const struct counters *k;

	(void)state;
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_counter_pairs.read(&in, d, NULL), OK);
	k = d->captures.data[0]->counters;
	assert_int_equal(k->rows.len, 2);
	assert_int_equal(k->rows.data[0].value, 74886853);
	assert_int_equal(k->rows.data[0].decimals, 2);
	assert_true(k->rows.data[1].unit.v != 0);
}

static const char memcached_text[] = "STAT pid 1\r\nSTAT uptime 3600\r\nSTAT version 1.6.21\r\n"
				     "STAT rusage_user 0.125000\r\nSTAT cmd_get 1000\r\n"
				     "STAT evictions 0\r\nSTAT bytes 1024\r\nEND\r\n";

static void statistics_of_memcached_have_their_names_without_stat(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k;

	(void)state;
	assert_int_equal(document_from_memory(STR(memcached_text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "counter-pairs");
	k = d->captures.data[0]->counters;
	assert_str(strings_get(&d->strings, k->tool), "memcached stats");
	assert_int_equal(k->rows.len, 6);
	assert_str(strings_get(&d->strings, k->rows.data[2].name), "rusage_user");
	assert_int_equal(k->rows.data[2].value, 125000);
	assert_int_equal(k->rows.data[2].decimals, 6);
	assert_str(strings_get(&d->strings, k->rows.data[4].name), "evictions");
	assert_int_equal(k->rows.data[4].line, 6);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "counter-pairs-lines"), 0);
}

static void quoted_statistics_of_memcached_are_read(void **state)
{
	static const char text[] = "On Monday, Ann wrote:\n> STAT pid 1\n> STAT uptime 3600\n"
				   "> STAT evictions 7\n> END\n\nThat is a lot.\n";
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k;

	(void)state;
	assert_int_equal(document_from_memory(STR(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	k = d->captures.data[0]->counters;
	assert_int_equal(k->rows.len, 3);
	assert_int_equal(k->rows.data[2].value, 7);
	assert_int_equal(k->rows.data[2].line, 4);
}

static void prose_and_other_pairs_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"Subject: 3 patches\nDate: 12 May\nLines: 7\n",
		"Size: big\nRss: bigger\nPss: 1,2 and 3\n",
		"Size: 4 of 5\nRss: 3 of 5\nPss: 2 of 5\n",
		"nr_tasks are 3\npgfoo is 2\npgbar was 1\n",
		"Tcp 12 connections\nIp 3 routes\nUdp 4 sockets\n",
		"12.5 times faster\n13 reasons\n",
		/* stats slabs, stats items, stats conns */
		"STAT 1:chunk_size 96\nSTAT 1:total_pages 1\nSTAT 1:get_hits 12\nEND\n",
		"STAT items:1:number 5\nSTAT items:1:age 7\nSTAT items:1:evicted 0\nEND\n",
		"STAT pid is 1\nSTAT uptime is 12\nSTAT threads are 4\n",
		"pid 1\nuptime 12\nthreads 4\n",
	};

	(void)state;
	text_claims_none(&format_counter_pairs, texts, ARRAY_LEN(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_names_of_one_tool_are_a_group),
		cmocka_unit_test(a_name_that_comes_again_begins_another_group),
		cmocka_unit_test(values_keep_their_unit_and_digits),
		cmocka_unit_test(statistics_of_memcached_have_their_names_without_stat),
		cmocka_unit_test(quoted_statistics_of_memcached_are_read),
		cmocka_unit_test(prose_and_other_pairs_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
