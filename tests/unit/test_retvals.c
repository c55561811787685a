/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/retvals.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"
#include "seeds.h"

static void errors_have_names_where_they_can_be_errors(void **state)
{
	(void)state;
	assert_int_equal(retval_errno((uint64_t)-11), -11);
	assert_int_equal(retval_errno(UINT64_C(0xfffffff5)), -11);
	assert_string_equal(retval_errno_name(-11), "EAGAIN");
	assert_string_equal(retval_errno_name(-2), "ENOENT");
	assert_string_equal(retval_errno_name(-110), "ETIMEDOUT");
	assert_string_equal(retval_errno_name(-517), "EPROBE_DEFER");
	assert_null(retval_errno_name(-41));
	assert_string_equal(retval_errno_name(-530), "ERECALLCONFLICT");
	assert_null(retval_errno_name(-531));
	assert_null(retval_errno_name(-4096));
	assert_null(retval_errno_name(0));
	assert_null(retval_errno_name(11));
	/* boolean results in the low byte, where the bytes above are all ones */
	assert_int_equal(retval_errno((uint64_t)-255), 0);
	assert_int_equal(retval_errno((uint64_t)-256), 0);
	assert_int_equal(retval_errno((uint64_t)-512), 0);
	assert_int_equal(retval_errno((uint64_t)-300), 0);
	assert_int_equal(retval_errno(0), 0);
	assert_int_equal(retval_errno(7), 0);
	/* not an int: -11 is in the low half only */
	assert_int_equal(retval_errno(UINT64_C(0xfffffffefffffff5)), 0);
	assert_int_equal(retval_errno(UINT64_C(0xfffff001)), 0);
	assert_int_equal(retval_errno(UINT64_C(0xffff8de843d21ac0)), 0);
}

static void the_error_of_most_calls_is_first_then_the_earliest(void **state)
{
	static const char text[] = "# tracer: function_graph\n#\n"
				   " 0)   0.333 us    |  a(); /* = -11 */\n"
				   " 0)   0.333 us    |  b(); /* = -12 */\n"
				   " 0)   0.333 us    |  c(); /* = -13 */\n"
				   " 0)   0.333 us    |  c(); /* = -13 */\n";
	static const int expected[] = { -13, -11, -12 };
	struct dossier *d = dossier_new();
	struct document *doc = NULL;
	struct retval_errors errors;

	(void)state;
	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "test", NULL, NULL), OK);
	retval_errors_find(d->captures.data[0], &errors);
	assert_int_equal(errors.rows.len, ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++)
		assert_int_equal(errors.rows.data[i].error, expected[i]);
	retval_errors_fini(&errors);
	document_free(doc);
	dossier_free(d);
}

static void functions_that_return_other_values_have_no_errors(void **state)
{
	static const char text[] = "# tracer: function_graph\n#\n"
				   " 0)   0.333 us    |  a(); /* = -11 */\n"
				   " 0)   0.333 us    |  a(); /* = 0x0 */\n"
				   " 0)   0.333 us    |  a(); /* = -11 */\n"
				   " 0)   0.333 us    |  b(); /* = 0xffff8de843d21ac0 */\n"
				   " 0)   0.333 us    |  b(); /* = -12 */\n"
				   " 0)   0.333 us    |  v(); /* = 0x7fe700001234 */\n"
				   " 0)   0.333 us    |  v(); /* = -12 */\n"
				   " 0)   0.333 us    |  f(); /* = -255 */\n";
	struct dossier *d = dossier_new();
	struct document *doc = NULL;
	struct retval_errors errors;

	(void)state;
	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "test", NULL, NULL), OK);
	retval_errors_find(d->captures.data[0], &errors);
	assert_int_equal(errors.valued, 8);
	assert_int_equal(errors.rows.len, 2);
	assert_str(symbols_name(&d->symbols, errors.rows.data[0].sym), "a");
	assert_int_equal(errors.rows.data[0].calls, 2);
	assert_int_equal(errors.rows.data[0].of, 3);
	assert_int_equal(errors.rows.data[0].error, -11);
	assert_int_equal(errors.rows.data[1].error, -12);
	retval_errors_fini(&errors);
	dossier_free(d);
	document_free(doc);
}

static void the_third_seed_returns_no_errors(void **state)
{
	struct dossier *d = dossier_new();
	struct retval_errors errors;

	(void)state;
	if (!seed_load(d, "003")) {
		dossier_free(d);
		SKIP_TEST("../shared/seeds is missing");
	}
	retval_errors_find(d->captures.data[0], &errors);
	assert_true(errors.valued > 150);
	assert_int_equal(errors.rows.len, 0);
	retval_errors_fini(&errors);
	dossier_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_names_where_they_can_be_errors),
		cmocka_unit_test(the_error_of_most_calls_is_first_then_the_earliest),
		cmocka_unit_test(functions_that_return_other_values_have_no_errors),
		cmocka_unit_test(the_third_seed_returns_no_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
