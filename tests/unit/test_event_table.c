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
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(event_table);

/* The value of the counter @name of @key, "" for none; -1: there is no such counter. */
static double value_of(const char *text, const char *name, const char *key)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(text), .first_line = 1 };

	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_event_table.read(&in, d, NULL), OK);
	VEC_FOREACH (row, &d->captures.data[0]->counters->rows) {
		if (str_eq(strings_get(&d->strings, row->name), str_of(name)) &&
		    str_eq(strings_get(&d->strings, row->key), str_of(key)))
			return counter_value(row);
	}
	return -1;
}

static void events_are_counted_by_owner_and_object(void **state)
{
	static const char text[] = "TIME(ms)   PID    PARENT           ARGS\n"
				   "12         1453   nightly.sh       date +%s\n"
				   "13         1454   nightly.sh       cut -d: -f1\n"
				   "Lost 3 events\n"
				   "212        1455   cron             date -u\n";

	(void)state;
	assert_true(value_of(text, "events", "") == 3);
	assert_true(value_of(text, "events by", "nightly.sh") == 2);
	assert_true(value_of(text, "events of", "date") == 2);
	assert_true(value_of(text, "events of", "Lost") == -1);
	assert_true(value_of(text, "milliseconds", "") == 200);
	assert_true(value_of(text, "events/s", "") == 10);
}

static void a_table_without_times_has_no_rate(void **state)
{
	static const char text[] = "PID    COMM               FD ERR PATH\n"
				   "811    indexer             7   0 /var/lib/index/a b.seg\n"
				   "811    indexer            -1   2 /etc/indexer.d/local.conf\n"
				   "812    sshd                3   0 /etc/passwd\n";

	(void)state;
	assert_true(value_of(text, "events", "") == 3);
	assert_true(value_of(text, "events of", "/var/lib/index/a b.seg") == 1);
	assert_true(value_of(text, "events/s", "") == -1);
}

static void other_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"TIME(ms)   PID    PARENT           ARGS\n12 1453 cron date\n13 1454 cron date\n",
		"TIME PID PARENT ARGS\n12 1453 cron a\n13 1454 cron a\n14 1455 cron a\n",
		"PID COMM FD ERR PATH\nx indexer 7 0 /a\ny indexer 7 0 /b\nz indexer 7 0 /c\n",
	};

	(void)state;
	text_claims_none(&format_event_table, texts, ARRAY_LEN(texts));
}

/* Opensnoop and statsnoop of bcc print the same titles. */
static void descriptors_show_which_tool_it_is(void **state)
{
	static const struct {
		const char *fd, *tool;
	} cases[] = { { "3", "opensnoop" },
		      { "0", "statsnoop" },
		      { "-1", "opensnoop or statsnoop" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		CLEANUP(document_freep) struct document *doc = NULL;
		struct document_options raw = { .is_raw = true };
		struct region in = { .first_line = 1 };
		char text[256];

		(void)snprintf(text, sizeof(text),
			       "PID    COMM               FD ERR PATH\n"
			       "4360   packer             -1   2 /run/x\n"
			       "4360   packer             %s   0 /run/rack\n"
			       "4361   shelf              -1   2 /etc/rack\n",
			       cases[i].fd);
		in.text = str_of(text);
		assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
		in.doc = doc;
		assert_int_equal(format_event_table.read(&in, d, NULL), OK);
		assert_str(strings_get(&d->strings, d->captures.data[0]->counters->tool),
			   cases[i].tool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_counted_by_owner_and_object),
		cmocka_unit_test(a_table_without_times_has_no_rate),
		cmocka_unit_test(other_tables_are_nobodys),
		cmocka_unit_test(descriptors_show_which_tool_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
