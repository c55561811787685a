/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "symbols/elf_symbols.h"
#include "symbols/mini_debug.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>

/* A library without .symtab, with one static function only in .gnu_debugdata. */
static const char script[] =
	"set -e; cd \"$1\"\n"
	"echo 'static volatile long sink;\n"
	"__attribute__((noinline)) static void hidden(long n) { while (n--) sink += n; }\n"
	"void seen(long n) { for (int i = 0; i < 10; i++) hidden(n + i); }' >a.c\n"
	"cc -O1 -shared -fPIC -nostdlib -o a.so a.c\n"
	"objcopy --only-keep-debug a.so debug\n"
	"echo hidden >keep\n"
	"objcopy -S --keep-symbols=keep debug mini && xz -k mini\n"
	"strip a.so && objcopy --add-section .gnu_debugdata=mini.xz a.so\n"
	"[ -z \"$2\" ] || head -c 70000000 /dev/zero | xz -1 >bomb\n";

static bool build(char folder[32], bool has_bomb)
{
	char command[128];

	(void)snprintf(folder, 32, "/tmp/assay-mini-XXXXXX");
	if (!HAVE_LZMA || !mkdtemp(folder))
		return false;
	(void)setenv("ASSAY_TEST_SCRIPT", script, 1);
	(void)snprintf(command, sizeof(command),
		       "sh -c \"$ASSAY_TEST_SCRIPT\" - %s %s >/dev/null 2>&1", folder,
		       has_bomb ? "bomb" : "");
	return system(command) == 0;
}

static void drop(const char *folder)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	(void)!system(command);
}

static size_t count_named(const struct symtab *t, const char *name)
{
	size_t n = 0;

	VEC_FOREACH (e, &t->entries)
		n += str_eq(symtab_name(t, e), str_of(name));
	return n;
}

static void a_stripped_library_has_the_functions_of_its_small_table(void **state)
{
	struct elf_symbols e;
	char folder[32];
	char path[64];

	(void)state;
	if (!build(folder, false)) {
		drop(folder);
		SKIP_TEST("no compiler, binutils, xz or no lzma here");
	}
	(void)snprintf(path, sizeof(path), "%s/a.so", folder);
	assert_int_equal(elf_symbols_read(path, ELF_WHOLE, NULL, &e, NULL), OK);
	assert_false(e.has_symtab);
	symtab_finish(&e.table, true);
	assert_int_equal(count_named(&e.table, "hidden"), 1);
	assert_int_equal(count_named(&e.table, "seen"), 1);
	VEC_FOREACH (s, &e.table.entries)
		assert_true(s->start < 0x100000 && s->end > s->start);
	elf_symbols_fini(&e);
	drop(folder);
}

static uint8_t *unpack_file(const char *folder, const char *name, size_t cut)
{
	static char bytes[1 << 17];
	char path[64];
	size_t len = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (f) {
		len = fread(bytes, 1, sizeof(bytes), f);
		(void)fclose(f);
	}
	return mini_debug_unpack((struct str){ bytes, len < cut ? 0 : len - cut }, &len);
}

static void what_is_damaged_or_too_large_inside_is_not_taken(void **state)
{
	char folder[32];
	uint8_t *whole;
	size_t len;

	(void)state;
	if (!build(folder, true)) {
		drop(folder);
		SKIP_TEST("no compiler, binutils, xz or no lzma here");
	}
	whole = unpack_file(folder, "mini.xz", 0);
	assert_non_null(whole);
	free(whole);
	assert_null(unpack_file(folder, "mini.xz", 1));
	assert_null(unpack_file(folder, "mini.xz", 100));
	assert_null(unpack_file(folder, "bomb", 0));
	assert_null(mini_debug_unpack(STR("no xz at all"), &len));
	assert_null(mini_debug_unpack(STR(""), &len));
	drop(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stripped_library_has_the_functions_of_its_small_table),
		cmocka_unit_test(what_is_damaged_or_too_large_inside_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
