/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "document/document.h"
#include "formats/format.h"
#include "texts.h"

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

static void prose_and_other_pairs_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"Subject: 3 patches\nDate: 12 May\nLines: 7\n",
		"Size: big\nRss: bigger\nPss: 1,2 and 3\n",
		"Size: 4 of 5\nRss: 3 of 5\nPss: 2 of 5\n",
		"nr_tasks are 3\npgfoo is 2\npgbar was 1\n",
		"Tcp 12 connections\nIp 3 routes\nUdp 4 sockets\n",
		"12.5 times faster\n13 reasons\n",
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
		cmocka_unit_test(prose_and_other_pairs_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
