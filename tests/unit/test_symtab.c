/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"

#include "config.h"

#include <dlfcn.h>
#include <stdio.h>

static bool shown_is(bool is_demangled, const char *first, const char *second, const char *want)
{
	struct symtab t = { .names = { 0 } };
	struct symtab_entry *e;
	bool is_it;

	symtab_add(&t, 0x1000, 16, str_of(first), SYMTAB_GLOBAL);
	symtab_add(&t, 0x1000, 16, str_of(second), SYMTAB_GLOBAL);
	symtab_finish(&t, is_demangled);
	e = symtab_find(&t, 0x1008);
	is_it = e && str_eq(symtab_name(&t, e), str_of(want));
	symtab_fini(&t);
	return is_it;
}

static void of_two_names_the_one_with_fewer_underscores_or_the_longer_is_shown(void **state)
{
	(void)state;
	assert_true(shown_is(true, "__read", "read", "read"));
	assert_true(shown_is(true, "read", "__read", "read"));
	assert_true(shown_is(true, "memcpy", "memmove_erms", "memmove_erms"));
	assert_true(shown_is(false, "SyS_read", "sys_read", "sys_read"));
}

static void names_that_are_shown_demangled_are_compared_demangled(void **state)
{
	(void)state;
	if (!HAVE_LIBIBERTY)
		SKIP_TEST("this build demangles nothing");
	/* operator delete[] is longer than operator delete, whatever the mangled names */
	assert_true(shown_is(true, "_ZdlPvSt11align_val_t", "_ZdaPv", "_ZdaPv"));
	assert_true(shown_is(true, "cfree", "_ZdaPv", "_ZdaPv"));
	assert_true(shown_is(false, "cfree", "_ZdaPv", "cfree"));
	/* constructors of one class have the same demangled name: the first symbol stays */
	assert_true(shown_is(true, "_ZN5shapeC1Ev", "_ZN5shapeC2Ev", "_ZN5shapeC1Ev"));
	assert_true(shown_is(true, "_ZN5shapeC2Ev", "_ZN5shapeC1Ev", "_ZN5shapeC2Ev"));
	assert_true(shown_is(true, "_ZN5shapeD2Ev", "_ZN5shapeD1Ev", "_ZN5shapeD2Ev"));
}

#if defined(__x86_64__)
/* The target of the jump stub at @code; NULL: no stub, or not yet resolved. */
static const void *jump_of(const unsigned char *code)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const void *target;
	Dl_info here, there;
	int32_t offset;

	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		code += sizeof(endbr64);
	if (code[0] != 0xff || code[1] != 0x25)
		return NULL;
	memcpy(&offset, code + 2, sizeof(offset));
	memcpy(&target, code + 6 + offset, sizeof(target));
	if (!dladdr(target, &there) || !dladdr(code, &here) || there.dli_fbase == here.dli_fbase)
		return NULL;
	return target;
}
#endif

static void stubs_have_the_name_of_the_function_that_they_jump_to(void **state)
{
#if defined(__x86_64__)
	struct elf_symbols e = { .n_loads = 0 };
	size_t n = 0, right = 0;
	Dl_info here;

	(void)state;
	assert_true(dladdr(
		(const void *)(uintptr_t)&stubs_have_the_name_of_the_function_that_they_jump_to,
		&here));
	assert_int_equal(elf_symbols_read("/proc/self/exe", ELF_WHOLE, NULL, &e, NULL), OK);
	VEC_FOREACH (entry, &e.table.entries) {
		struct str name = symtab_name(&e.table, entry);
		const void *target;
		char plain[64];

		if (!str_ends(name, STR("@plt")) || name.len > sizeof(plain))
			continue;
		(void)snprintf(plain, sizeof(plain), STR_FMT,
			       STR_ARG(str_sub(name, 0, name.len - 4)));
		target = jump_of((const unsigned char *)here.dli_fbase + entry->start);
		if (!target || !dlsym(RTLD_DEFAULT, plain))
			continue;
		n++;
		right += target == dlsym(RTLD_DEFAULT, plain);
	}
	elf_symbols_fini(&e);
	if (n < 3)
		SKIP_TEST("this program has no stubs that are resolved");
	/* dlsym() finds another version of some functions */
	assert_true(right * 10 >= n * 9);
#else
	(void)state;
	SKIP_TEST("reads code of x86-64");
#endif
}

/* Names above 256 bytes may take 16 bytes for each byte of the name table, all together. */
static void long_names_have_a_common_limit(void **state)
{
	static char text[2000];
	struct symtab t = { .names = { 0 } };
	uint32_t place;

	(void)state;
	memset(text, 'a', sizeof(text));
	/* a table of 100 bytes: 1600 bytes of long names */
	assert_true(symtab_add_names(&t, (struct str){ text, 99 }, &place));
	assert_int_equal(t.names.len, 100);
	for (int i = 0; i < 100; i++)
		assert_true(symtab_may_show(&t, (struct str){ text, 256 }));
	assert_false(symtab_may_show(&t, (struct str){ text, 1601 }));
	assert_true(symtab_may_show(&t, (struct str){ text, 1300 }));
	assert_false(symtab_may_show(&t, (struct str){ text, 301 }));
	assert_true(symtab_may_show(&t, (struct str){ text, 300 }));
	assert_false(symtab_may_show(&t, (struct str){ text, 257 }));
	assert_true(symtab_may_show(&t, (struct str){ text, 256 }));
	symtab_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			of_two_names_the_one_with_fewer_underscores_or_the_longer_is_shown),
		cmocka_unit_test(names_that_are_shown_demangled_are_compared_demangled),
		cmocka_unit_test(stubs_have_the_name_of_the_function_that_they_jump_to),
		cmocka_unit_test(long_names_have_a_common_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
