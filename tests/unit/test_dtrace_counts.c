/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

DECLARE_FORMAT(dtrace_counts);

static const char counts_text[] = "   FUNCTION                 COUNT   PCNT\n"
				  "   genunix`strrput              1   0.1%\n"
				  "   libfoo.so.1`f(int, char)    12   0.8%\n"
				  "   unix`cpu_halt             1575  99.2%\n"
				  "\n"
				  "   MODULE                   COUNT   PCNT\n"
				  "   genunix                      1   0.1%\n";

static void rows_are_samples_of_functions(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct document_options raw = { .is_raw = true };
	struct region in = { .text = str_of(counts_text), .first_line = 1 };
	struct extent e;
	const struct profile *p;

	(void)state;
	assert_true(format_dtrace_counts.find(in.text, 0, &e));
	assert_int_equal(e.from, 0);
	in.text = str_sub(in.text, e.from, e.to);
	assert_int_equal(document_from_memory(in.text, &raw, &doc, NULL), OK);
	in.doc = doc;
	assert_int_equal(format_dtrace_counts.read(&in, d, NULL), OK);
	p = d->captures.data[0]->profile;
	assert_int_equal(p->table.rows.len, 3);
	assert_int_equal(p->n_samples, 1588);
	assert_int_equal(p->table.rows.data[2].samples, 1575);
	assert_int_equal(p->table.rows.data[2].line, 4);
	assert_str(symbols_name(&d->symbols, p->table.rows.data[1].sym), "f(int, char)");
	assert_str(symbols_module(&d->symbols, p->table.rows.data[2].sym), "unix");
}

static void rows_without_titles_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_dtrace_counts.find(STR("   unix`cpu_halt  1575  99.2%\n"), 0, &e));
	assert_int_equal(format_dtrace_counts.probe(STR("   unix`f  1575  99.2%\n")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_samples_of_functions),
		cmocka_unit_test(rows_without_titles_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
