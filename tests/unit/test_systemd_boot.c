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

DECLARE_FORMAT(systemd_boot);

static struct dossier *load(struct str text)
{
	CLEANUP(document_freep) struct document *doc = NULL;
	struct dossier *d = dossier_new();

	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	return d;
}

static void a_chain_has_start_duration_and_depth(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = load(STR("spool.service +40ms\n"
				     "└─db.service @1min 2.5s +1h 3min\n"
				     "  └─basic.target @800us\n"));
	const struct metrics *m;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "systemd-boot");
	m = d->captures.data[0]->metrics;
	assert_int_equal(m->n_rows, 3);
	assert_true(isnan(metrics_value(m, 0, 0)));
	assert_near(metrics_value(m, 0, 1), 40e6, 1);
	assert_near(metrics_value(m, 1, 0), 62.5e9, 1);
	assert_near(metrics_value(m, 1, 1), 3780e9, 1);
	assert_near(metrics_value(m, 2, 0), 800e3, 1);
	for (size_t i = 0; i < 3; i++)
		assert_near(metrics_value(m, i, 2), (double)i, 0);
	assert_str(symbols_name(&d->symbols, m->names.data[2]), "basic.target");
}

static void parts_of_the_sum_are_rows(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d =
		load(STR("Startup finished in 1.5s (kernel) + 1min 2s (userspace) = 1min 3.5s\n"));
	const struct metrics *m;

	(void)state;
	assert_int_equal(d->captures.len, 1);
	m = d->captures.data[0]->metrics;
	assert_int_equal(m->n_rows, 2);
	assert_near(metrics_value(m, 1, 1), 62e9, 1);
	assert_str(symbols_name(&d->symbols, m->names.data[1]), "userspace");
}

static void other_lists_of_times_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"1.2s spool.service\n",
		"1.2s spool\n2.4s db\n",
		"spool.service db.service\n",
		"└─spool.service @\n└─db.service\n",
		"3ms 2s spool.service\n3ms 2s db.service\n",
	};
	struct extent e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_false(format_systemd_boot.find(str_of(texts[i]), 0, &e));
		assert_int_equal(format_systemd_boot.probe(str_of(texts[i])), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_has_start_duration_and_depth),
		cmocka_unit_test(parts_of_the_sum_are_rows),
		cmocka_unit_test(other_lists_of_times_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
