/* SPDX-License-Identifier: MIT */
#include "core/names/start_names.h"

#include "base/str.h"

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void starts_of_programs_and_threads_are_before_main(void **state)
{
	static const char *const names[] = {
		"_start",   "__libc_start_main", "__libc_start_main@@GLIBC_2.34",
		"__clone3", "start_thread",      "BaseThreadInitThunk",
		"clone",    "invoke_main",       "__libc_start_call_main"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_true(start_names_have(str_of(names[i]), START_BEFORE_MAIN));
}

static void main_and_the_loader_are_kinds_of_their_own(void **state)
{
	(void)state;
	assert_false(start_names_have(STR("main"), START_BEFORE_MAIN));
	assert_true(start_names_have(STR("main"), START_BIT(START_ROLE_MAIN)));
	assert_false(start_names_have(STR("_dl_start"), START_BEFORE_MAIN));
	assert_true(start_names_have(STR("_dl_start"), START_BIT(START_ROLE_LOADER)));
	assert_false(start_names_have(STR("main_loop"), START_BIT(START_ROLE_MAIN)));
	assert_false(start_names_have(STR("_started"), START_BEFORE_MAIN));
}

static void entries_of_the_kernel_are_not_what_they_call(void **state)
{
	(void)state;
	assert_true(start_names_enter_kernel(STR("entry_SYSCALL_64_after_hwframe")));
	assert_true(start_names_enter_kernel(STR("do_syscall_64")));
	assert_true(start_names_enter_kernel(STR("__arm64_sys_read")));
	assert_true(start_names_enter_kernel(STR("el0t_64_sync")));
	assert_true(start_names_enter_kernel(STR("ret_from_fork_asm")));
	assert_true(start_names_enter_kernel(STR("cpu_startup_entry")));
	assert_true(start_names_enter_kernel(STR("asm_exc_page_fault")));
	assert_false(start_names_enter_kernel(STR("vfs_read")));
	assert_false(start_names_enter_kernel(STR("syscall_return_slowpath")));
	assert_false(start_names_enter_kernel(STR("main")));
	assert_false(start_names_enter_kernel(STR("start_thread")));
}

static void no_role_matches_nothing(void **state)
{
	(void)state;
	assert_false(start_names_have(STR("main"), 0));
	assert_false(start_names_have(STR(""), ~0u));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_of_programs_and_threads_are_before_main),
		cmocka_unit_test(main_and_the_loader_are_kinds_of_their_own),
		cmocka_unit_test(entries_of_the_kernel_are_not_what_they_call),
		cmocka_unit_test(no_role_matches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
