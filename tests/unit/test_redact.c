/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/redact.h"
#include "core/strings.h"
#include "core/symbols.h"

/* The example of the paper: key 00..0f, message 00..0e. */
static void the_hash_is_siphash_2_4(void **state)
{
	const struct redact_key key = { UINT64_C(0x0706050403020100),
					UINT64_C(0x0f0e0d0c0b0a0908) };
	char message[15];

	(void)state;
	for (int i = 0; i < 15; i++)
		message[i] = (char)i;
	assert_true(redact_hash(&key, (struct str){ message, sizeof(message) }) ==
		    UINT64_C(0xa129ca6149be45e5));
}

static void a_text_that_no_role_reached_is_gone(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct redact_key key = redact_key_of(STR("a key of sixteen bytes"));
	str_id nobody = strings_add(&d->strings, STR("sekrit"));
	sym_id sym = symbols_add_text(&d->symbols, STR("sekrit_fn.isra.0"),
				      STR("/opt/libsekrit.so"), SPACE_USER, 0);

	(void)state;
	redact_dossier(d, &key, REDACT_KEEP_KERNEL | REDACT_KEEP_LIBC);
	assert_true(str_eq(strings_get(&d->strings, nobody), STR("redacted")));
	assert_true(str_starts(symbols_name(&d->symbols, sym), STR("fn_")));
	assert_true(str_ends(symbols_name(&d->symbols, sym), STR(".isra.0")));
	assert_true(
		str_starts(symbols_name(&d->symbols, sym), symbols_canonical(&d->symbols, sym)));
	for (size_t i = 0; i < d->strings.views.len; i++)
		assert_false(str_contains(d->strings.views.data[i], STR("sekrit")));
}

static void a_kernel_name_and_the_same_user_name_stay_separate(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct redact_key key = redact_key_of(STR("a key of sixteen bytes"));
	sym_id kernel = symbols_add_text(&d->symbols, STR("do_work"), STR("[kernel.kallsyms]"),
					 SPACE_KERNEL, 0);
	sym_id user = symbols_add_text(&d->symbols, STR("do_work"), STR("prog"), SPACE_USER, 0);

	(void)state;
	redact_dossier(d, &key, REDACT_KEEP_KERNEL);
	assert_true(str_eq(symbols_name(&d->symbols, kernel), STR("do_work")));
	assert_true(str_starts(symbols_name(&d->symbols, user), STR("fn_")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_is_siphash_2_4),
		cmocka_unit_test(a_text_that_no_role_reached_is_gone),
		cmocka_unit_test(a_kernel_name_and_the_same_user_name_stay_separate),
	};

	return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
