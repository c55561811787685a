/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/names/scaling_words.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

static const struct counters *scaling_of(struct dossier *d, struct document **doc, struct str text)
{
	assert_int_equal(document_from_memory(text, NULL, doc, NULL), OK);
	assert_int_equal(load_document(d, *doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "scaling-table");
	return d->captures.data[0]->counters;
}

static void a_cell_may_hold_several_figures_that_a_legend_names(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k = scaling_of(d, &doc,
					      STR("Each cell: `wall ms | user CPU s`\n\n"
						  "threads | v2\n-- | --\n"
						  "1 | 1,140 ms \\| 0.2 s\n"
						  "2 | 600 ms \\| 0.3 s\n"
						  "4 | 590 ms \\| 0.9 s\n"));
	struct strings *strings = capture_strings(d->captures.data[0]);

	(void)state;
	assert_int_equal(k->rows.len, 6);
	assert_str(strings_get(strings, k->rows.data[0].name), "v2 wall");
	assert_str(strings_get(strings, k->rows.data[0].key), "1 threads");
	assert_str(strings_get(strings, k->rows.data[0].unit), "ms");
	assert_int_equal(k->rows.data[0].value, 1140);
	assert_str(strings_get(strings, k->rows.data[5].name), "v2 user CPU");
	assert_int_equal(k->rows.data[5].value, 9);
}

static void nodes_of_numactl_are_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct counters *k =
		scaling_of(d, &doc,
			   STR("| NUMA | tps |\n|---|---|\n| numactl -N 0 a | 100 |\n"
			       "| numactl -N 0,1 a | 90 |\n"
			       "| numactl --cpunodebind=0,2-4 a | 80 |\n"));
	struct strings *strings = capture_strings(d->captures.data[0]);

	(void)state;
	assert_int_equal(k->rows.len, 3);
	assert_str(strings_get(strings, k->rows.data[2].key), "4 NUMA nodes");
}

/* No capture of @text is a table of scaling. */
static void scaling_none(struct str text)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	(void)(load_document(d, doc, "made.txt", NULL, NULL) < 0);
	for (size_t i = 0; i < d->captures.len; i++)
		assert_string_not_equal(d->captures.data[i]->format, "scaling-table");
}

static void other_tables_are_left_alone(void **state)
{
	(void)state;
	/* numbers of threads, not how many */
	scaling_none(STR("thread  ops/s\n1  100\n2  100\n3  100\n4  90\n"));
	/* nodes of a graph */
	scaling_none(STR("nodes  time ms\n10  100\n20  200\n40  400\n"));
	/* too few rows, and rows that do not grow */
	scaling_none(STR("threads  ops/s\n1  100\n2  100\n"));
	scaling_none(STR("threads  ops/s\n4  100\n2  100\n1  90\n"));
	scaling_none(STR("threads  ops/s\n4  100\n5  100\n7  90\n"));
	/* no speed */
	scaling_none(STR("threads  RSS MB\n1  100\n2  100\n4  90\n"));
}

static void words_name_the_quantity(void **state)
{
	(void)state;
	assert_true(scaling_words_is_count(STR("# of threads")));
	assert_true(scaling_words_is_count(STR("max_threads")));
	assert_false(scaling_words_is_count(STR("thread")));
	assert_false(scaling_words_is_count(STR("num")));
	assert_false(scaling_words_is_count(STR("threads created")));
	assert_true(scaling_words_is_ambiguous(STR("nodes")));
	assert_false(scaling_words_is_ambiguous(STR("NUMA nodes")));
	assert_int_equal(scaling_value_of(STR("Q/s"), STR_NONE), SCALING_RATE);
	assert_int_equal(scaling_value_of(STR("requests per second"), STR_NONE), SCALING_RATE);
	assert_int_equal(scaling_value_of(STR("v2"), STR("MB/s")), SCALING_RATE);
	assert_int_equal(scaling_value_of(STR("ns/op"), STR_NONE), SCALING_LATENCY);
	assert_int_equal(scaling_value_of(STR("p99 (ms)"), STR_NONE), SCALING_LATENCY);
	assert_int_equal(scaling_value_of(STR("v2"), STR("ms")), SCALING_TIME);
	assert_int_equal(scaling_value_of(STR("user CPU s"), STR_NONE), SCALING_CPU);
	assert_int_equal(scaling_value_of(STR("CPU"), STR("%")), SCALING_NONE);
	assert_int_equal(scaling_value_of(STR("context switches/s"), STR_NONE), SCALING_NONE);
	assert_int_equal(scaling_value_of(STR("v2"), STR_NONE), SCALING_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_may_hold_several_figures_that_a_legend_names),
		cmocka_unit_test(nodes_of_numactl_are_counted),
		cmocka_unit_test(other_tables_are_left_alone),
		cmocka_unit_test(words_name_the_quantity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
