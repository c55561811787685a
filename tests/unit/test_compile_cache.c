/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

#include <math.h>

DECLARE_FORMAT(compile_cache);

static void counts_have_the_count_that_they_are_a_part_of(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct str text = STR("Cacheable calls:  41 / 60 (68.33%)\n"
			      "  Hits:           11 / 41 (26.83%)\n"
			      "max cache size                  2.5 MB\n");
	const struct metrics *m;

	(void)state;
	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "compile-cache");
	m = d->captures.data[0]->metrics;
	assert_int_equal(m->n_rows, 3);
	assert_str(symbols_name(&d->symbols, m->names.data[1]), "Hits");
	assert_near(metrics_value(m, 1, 0), 11, 0);
	assert_near(metrics_value(m, 1, 1), 41, 0);
	assert_near(metrics_value(m, 2, 0), 2.5e6, 0);
	assert_true(isnan(metrics_value(m, 2, 1)));
}

static void hits_and_misses_alone_are_nobodys(void **state)
{
	struct str text = STR("Hits: 12\nMisses: 30\nFiles: 4\n");
	struct extent e;

	(void)state;
	assert_false(format_compile_cache.find(text, 0, &e));
	assert_int_equal(format_compile_cache.probe(text), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_have_the_count_that_they_are_a_part_of),
		cmocka_unit_test(hits_and_misses_alone_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
