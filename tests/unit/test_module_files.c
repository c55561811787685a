/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"
#include "symbols/module_files.h"
#include "symbols/symtab.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

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

/* A file of a container is read by way of its process only if a build id shows that it is the one.
 */
static void a_file_of_a_process_needs_a_build_id(void **state)
{
	struct module_places places = { .root = "/nonexistent",
					.cache = "/nonexistent",
					.pid = (uint32_t)getpid(),
					.is_proven = true };
	struct build_id none = { .len = 0 };
	struct elf_symbols own;
	struct symtab table = { 0 };
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	bool is_unread = false;

	(void)state;
	assert_true(n > 0);
	path[n] = '\0';
	assert_int_equal(elf_symbols_read(path, ELF_WHOLE, NULL, &own, NULL), OK);
	assert_int_equal(module_files_load(str_of(path), &none, &places, &table, &is_unread, NULL),
			 ERR_NOTFOUND);
	symtab_fini(&table);
	if (own.build_id.len) {
		assert_int_equal(module_files_load(str_of(path), &own.build_id, &places, &table,
						   &is_unread, NULL),
				 OK);
		symtab_fini(&table);
	}
	elf_symbols_fini(&own);
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

/* The vDSO of this process is that of the recording if the build ids are equal. */
static void the_vdso_is_used_if_it_is_the_same(void **state)
{
	struct module_places places = { .cache = "/nonexistent" };
	struct build_id none = { .len = 0 };
	struct elf_symbols own;
	struct build_id other;
	size_t len;
	const char *image = elf_symbols_vdso_image(&len);

	(void)state;
	if (!image || elf_symbols_read_vdso(&own, NULL) < 0)
		SKIP_TEST("no 64-bit vDSO here");
	assert_true(own.build_id.len > 0);
	other = own.build_id;
	other.bytes[0] ^= 1;
	for (int is_proven = 0; is_proven < 2; is_proven++) {
		const struct build_id *ids[] = { &own.build_id, &other, &none };

		places.is_proven = is_proven;
		for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
			bool is_ok = i == 0 || (i == 2 && is_proven);
			struct symtab table = { 0 };
			struct error err = { "" };
			bool is_unread = false;
			bool has_time = false;

			assert_int_equal(module_files_load(STR("[vdso]"), ids[i], &places, &table,
							   &is_unread, &err),
					 is_ok ? OK : ERR_NOTFOUND);
			assert_string_equal(err.msg, is_ok ? "" : "the vDSO of another kernel");
			VEC_FOREACH (e, &table.entries) {
				has_time |=
					str_contains(symtab_name(&table, e), STR("clock_gettime"));
				assert_true(e->end <= len);
			}
			assert_int_equal(has_time, is_ok);
			symtab_fini(&table);
		}
	}
	elf_symbols_fini(&own);
}

/* The implementation of memcpy() that the loader chose has no name of its own in the library. */
static void chosen_implementations_have_the_names_of_their_functions(void **state)
{
	void *chosen = dlsym(RTLD_DEFAULT, "memcpy");
	struct module_places places = { .cache = "/nonexistent", .is_proven = true };
	struct build_id none = { .len = 0 };
	struct elf_symbols own;
	struct symtab table = { 0 };
	struct symtab_entry *e;
	bool is_unread = false;
	bool has_indirect;
	struct error err;
	uint64_t address;
	Dl_info info;

	(void)state;
	if (!chosen || !dladdr(chosen, &info) || info.dli_fname[0] != '/' ||
	    elf_symbols_read(info.dli_fname, ELF_WHOLE, NULL, &own, NULL) < 0)
		SKIP_TEST("no library with memcpy() here");
	has_indirect = own.indirect.len > 0 && !own.has_symtab && own.build_id.len > 0;
	address = (uint64_t)((const char *)chosen - (const char *)info.dli_fbase);
	for (size_t i = 0; i < own.n_loads; i++) {
		if (address - own.loads[i].vaddr < own.loads[i].size) {
			address += own.loads[i].offset - own.loads[i].vaddr;
			break;
		}
	}
	elf_symbols_fini(&own);
	if (!has_indirect)
		SKIP_TEST("the C library here is no stripped one with indirect functions");
	assert_int_equal(
		module_files_load(str_of(info.dli_fname), &none, &places, &table, &is_unread, &err),
		OK);
	e = symtab_find(&table, address);
	assert_non_null(e);
	assert_int_equal(e->start, address);
	assert_true(e->end > e->start + 1);
	/* a debug file of this library has other names, such as __memmove_avx_unaligned_erms */
	assert_true(str_contains(symtab_name(&table, e), STR("mem")));
	assert_ptr_equal(symtab_find(&table, e->end - 1), e);
	symtab_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_absolute_paths_are_files),
		cmocka_unit_test(a_file_of_a_process_needs_a_build_id),
		cmocka_unit_test(a_path_has_at_most_half_of_the_longest),
		cmocka_unit_test(the_vdso_is_used_if_it_is_the_same),
		cmocka_unit_test(chosen_implementations_have_the_names_of_their_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
