/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"

DECLARE_FORMAT(@SNAKE@);

static const char @SNAKE@_text[] = "@NAME@ samples by function\n"
	"parse_header 12\n"
	"copy_body 30\n";

static void rows_are_samples_of_functions(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	const struct profile *p;

	(void)state;
	assert_int_equal(document_from_memory(str_of(@SNAKE@_text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_string_equal(d->captures.data[0]->format, "@NAME@");
	p = d->captures.data[0]->profile;
	assert_int_equal(p->n_samples, 42);
	assert_int_equal(p->table.rows.len, 2);
	assert_int_equal(p->table.rows.data[1].samples, 30);
	assert_int_equal(p->table.rows.data[1].line, 3);
	assert_str(symbols_name(&d->symbols, p->table.rows.data[1].sym), "copy_body");
}

static void a_line_that_is_no_row_is_counted(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	struct str text = STR("@NAME@ samples by function\n"
			      "parse_header 12\n"
			      "copy_body thirty\n"
			      "hash_key 5\n");

	(void)state;
	assert_int_equal(document_from_memory(text, NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, 1);
	assert_int_equal(d->captures.data[0]->profile->n_samples, 17);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "@NAME@-skipped"), 1);
}

static void rows_without_a_title_are_nobodys(void **state)
{
	struct extent e;

	(void)state;
	assert_false(format_@SNAKE@.find(STR("parse_header 12\n"), 0, &e));
	assert_int_equal(format_@SNAKE@.probe(STR("parse_header 12\n")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_samples_of_functions),
		cmocka_unit_test(a_line_that_is_no_row_is_counted),
		cmocka_unit_test(rows_without_a_title_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
