/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"
#include "symbols/symtab.h"

#include <limits.h>

static int load(const char *path, const char *root, struct error *err)
{
	struct module_places places = { .root = root, .cache = "/nonexistent", .is_proven = true };
	struct build_id none = { .len = 0 };
	struct symtab table = { 0 };
	bool is_unread = false;
	int r = module_files_load(str_of(path), &none, &places, &table, &is_unread, err);

	symtab_fini(&table);
	return r;
}

/* This test itself is an ELF file that exists. */
static void only_absolute_paths_are_files(void **state)
{
	struct error err = { "" };

	(void)state;
	assert_int_equal(load("/proc/self/exe", NULL, &err), OK);
	assert_int_equal(load("/self/exe", "/proc", &err), OK);
	assert_int_equal(load("proc/self/exe", "/", &err), ERR_NOTFOUND);
	assert_string_equal(err.msg, "not a file");
	assert_int_equal(load("", "/proc/self/exe", &err), ERR_NOTFOUND);
	assert_string_equal(err.msg, "not a file");
}

static void a_path_has_at_most_half_of_the_longest(void **state)
{
	char path[PATH_MAX];
	struct error err = { "" };

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		size_t n = PATH_MAX / 2 + over;

		memset(path, '/', n);
		memcpy(path + n - strlen("proc/self/exe"), "proc/self/exe",
		       sizeof("proc/self/exe"));
		assert_int_equal(load(path, NULL, &err), over ? ERR_NOTFOUND : OK);
	}
	assert_string_equal(err.msg, "not a file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_absolute_paths_are_files),
		cmocka_unit_test(a_path_has_at_most_half_of_the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
