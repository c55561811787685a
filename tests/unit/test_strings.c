/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

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
		{ STR("dock.Watch.func2.1"), STR("dock.Watch.func2.1") },
		{ STR("dock.Watch.func2.1.3"), STR("dock.Watch.func2.1.3") },
		{ STR("func2.1"), STR("func2") },
		{ STR("dock.func.1"), STR("dock.func") },
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

/* Few children are searched linearly, many by an index: results must not differ. */
static void a_child_is_found_again_among_any_number_of_others(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < 40; n++) {
		uint32_t *place;
		struct stacks s;
		stack_id parent;
		stack_id children[40];

		stacks_init(&s);
		parent = stacks_push(&s, STACK_ROOT, (sym_id){ 7 });
		for (uint32_t i = 0; i < n; i++) {
			children[i] = stacks_push(&s, parent, (sym_id){ 100 + i });
			(void)stacks_push(&s, children[i], (sym_id){ 100 });
			assert_int_equal(stacks_parent(&s, children[i]).v, parent.v);
		}
		assert_int_equal(stacks_count(&s), 2 + 2 * n);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(stacks_push(&s, parent, (sym_id){ 100 + i }).v,
					 children[i].v);
		place = stacks_order(&s);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(stacks_push(&s, parent, (sym_id){ 100 + i }).v,
					 place ? place[children[i].v] : children[i].v);
		assert_int_equal(stacks_count(&s), 2 + 2 * n);
		assert_int_equal(stacks_push(&s, parent, (sym_id){ 100 + n }).v, 2 + 2 * n);
		free(place);
		stacks_fini(&s);
	}
}

static void past_the_limit_a_stack_ends_at_its_last_node(void **state)
{
	uint64_t limit = limits_now[LIMITS_STACK_NODES];
	struct stacks s;
	stack_id at = STACK_ROOT;

	(void)state;
	limits_now[LIMITS_STACK_NODES] = 500;
	stacks_init(&s);
	for (uint32_t i = 1; i < 500; i++) {
		assert_false(stacks_is_full(&s));
		at = stacks_push(&s, at, (sym_id){ i });
		assert_int_equal(at.v, i);
	}
	assert_true(stacks_is_full(&s));
	assert_int_equal(stacks_push(&s, at, (sym_id){ 500 }).v, at.v);
	assert_int_equal(stacks_push(&s, STACK_ROOT, (sym_id){ 1 }).v, 1);
	stacks_fini(&s);
	limits_now[LIMITS_STACK_NODES] = limit;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_keep_each_name_once),
		cmocka_unit_test(symbols_drop_what_compilers_add),
		cmocka_unit_test(stacks_share_their_outer_frames),
		cmocka_unit_test(past_the_limit_a_stack_ends_at_its_last_node),
		cmocka_unit_test(a_child_is_found_again_among_any_number_of_others),
	};

	return cmocka_run_group_tests_name("strings", tests, NULL, NULL);
}
