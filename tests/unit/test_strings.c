/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "core/dossier.h"

static void strings_keep_each_name_once(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	str_id a = strings_add(&d->strings, STR("ep_poll"));

	(void)state;
	assert_int_equal(strings_add(&d->strings, STR("ep_poll")).v, a.v);
	assert_int_not_equal(strings_add(&d->strings, STR("ep_pol")).v, a.v);
	assert_int_equal(strings_add(&d->strings, STR("")).v, 0);
	assert_true(str_eq(strings_get(&d->strings, a), STR("ep_poll")));
	assert_int_equal(strings_find(&d->strings, STR("no")).v, 0);
}

static void symbols_drop_what_compilers_add(void **state)
{
	static const struct {
		struct str name, canonical;
	} cases[] = {
		{ STR("mutex_spin_on_owner.isra.3"), STR("mutex_spin_on_owner") },
		{ STR("json_destroy.part.9"), STR("json_destroy") },
		{ STR("f.constprop.0.isra.0"), STR("f") },
		{ STR("f.cold"), STR("f") },
		{ STR("f.371002.4826"), STR("f") },
		{ STR("f.llvm.1234567890"), STR("f") },
		{ STR("f$0123456789abcdef0123456789abcdef.cfi_jt"), STR("f") },
		{ STR("pthread_mutex_lock@@GLIBC_2.2.5"), STR("pthread_mutex_lock") },
		{ STR("memcpy@GLIBC_2.14"), STR("memcpy") },
		{ STR("memcpy@plt"), STR("memcpy@plt") },
		{ STR("f@12"), STR("f@12") },
		{ STR("f@A_"), STR("f@A_") },
		{ STR("a@@"), STR("a@@") },
		{ STR("foo.bar"), STR("foo.bar") },
		{ STR(".f"), STR(".f") },
		{ STR("f file.c:12"), STR("f") },
		{ STR("<frozen importlib>:load:991"), STR("<frozen importlib>:load:991") },
		{ STR("std::vector<int>::operator[]"), STR("std::vector<int>::operator[]") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_str(symbol_canonical_name(cases[i].name), cases[i].canonical.p);
	}
}

static void stacks_share_their_outer_frames(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct stacks s;
	sym_id main_sym = symbols_add_text(&d->symbols, STR("main"), STR("a.out"), SPACE_USER, 0);
	sym_id f = symbols_add_text(&d->symbols, STR("f"), STR("a.out"), SPACE_USER, 0);
	stack_id a;

	(void)state;
	stacks_init(&s);
	a = stacks_push(&s, STACK_ROOT, main_sym);
	assert_int_equal(stacks_push(&s, STACK_ROOT, main_sym).v, a.v);
	assert_int_equal(stacks_depth(&s, stacks_push(&s, a, f)), 2);
	assert_int_equal(stacks_count(&s), 3);
	stacks_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_keep_each_name_once),
		cmocka_unit_test(symbols_drop_what_compilers_add),
		cmocka_unit_test(stacks_share_their_outer_frames),
	};

	return cmocka_run_group_tests_name("strings", tests, NULL, NULL);
}
