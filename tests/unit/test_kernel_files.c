/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kernel_files.h"
#include "symbols/lines/lines.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct build_id id = { { 0xaa, 0xbb, 0xcc, 0xdd }, 4 };
static const struct build_id other = { { 1, 2, 3, 4 }, 4 };

/* Make the files of a recorded kernel; fails without an x86-64 compiler. */
static const char script[] =
	"set -e; cd \"$1\"; mkdir -p cache/'[kernel.kallsyms]'/aabbccdd usr/lib/debug/boot\n"
	"printf 'ffffffff81000000 T _text\\nffffffff81000040 t cached\\n'"
	" >cache/'[kernel.kallsyms]'/aabbccdd/kallsyms\n"
	"printf '.globl _text\\n_text: nop\\n.globl linked\\n.type linked,@function\\nlinked: "
	"nop\\n"
	".size linked,1\\n.data\\n.long 1\\n' >a.s\n"
	"cc -nostdlib -static -no-pie -Wl,-Ttext=0xffffffff81000000,-e,_text,"
	"--build-id=0xaabbccdd -o usr/lib/debug/boot/vmlinux-1.2.3 a.s\n";

static int setup(void **state)
{
	static char folder[64];
	char command[2048];

	(void)snprintf(folder, sizeof(folder), "/tmp/assay-kernel-XXXXXX");
	if (!mkdtemp(folder))
		return 0;
	(void)snprintf(command, sizeof(command), "set -- %s; %s", folder, script);
	(void)state;
	unit_state = folder;
	if (system(command) != 0)
		unit_state = NULL;
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	if (unit_state) {
		(void)snprintf(command, sizeof(command), "rm -r %s", (char *)unit_state);
		(void)!system(command);
	}
	return 0;
}

static bool has(const struct kallsyms *k, uint64_t address, const char *name)
{
	const struct symtab *t = &k->modules.data[0].table;
	struct symtab_entry *e = symtab_find(t, address);

	return e && str_eq(symtab_name(t, e), str_of(name));
}

static void a_table_in_the_cache_is_found_by_build_id(void **state)
{
	struct kernel_files f = { .id = id };
	enum kernel_source source;
	char cache[128];
	struct kallsyms k;

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	(void)snprintf(cache, sizeof(cache), "%s/cache", (char *)*state);
	f.cache = cache;
	assert_int_equal(kernel_files_load(&f, &k, &source, NULL), OK);
	assert_int_equal(source, KERNEL_COPY);
	assert_true(has(&k, 0xffffffff81000041, "cached"));
	kallsyms_fini(&k);
}

static void vmlinux_is_found_by_release_and_has_its_own_addresses(void **state)
{
	struct kernel_files f = { .id = id, .cache = "/nowhere", .release = STR("1.2.3") };
	enum kernel_source source;
	struct kallsyms k;

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	f.root = *state;
	assert_int_equal(kernel_files_load(&f, &k, &source, NULL), OK);
	assert_int_equal(source, KERNEL_FILE);
	assert_true(has(&k, 0xffffffff81000001, "linked"));
	kallsyms_fini(&k);
}

/* Without a release, "vmlinux-" is no path of it. */
static void without_a_release_no_file_of_a_release_is_taken(void **state)
{
	static char name[241];
	struct kernel_files f = { .id = id, .cache = "/nowhere", .why_not = "of another kernel" };
	const size_t lengths[] = { 0, 1, 240 };
	enum kernel_source source;

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	f.root = *state;
	memset(name, 'r', 240);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		char command[1024];
		struct kallsyms k;

		f.release = str_sub(str_of(name), 0, lengths[i]);
		(void)snprintf(command, sizeof(command),
			       "cd %s/usr/lib/debug/boot && cp vmlinux-1.2.3 vmlinux-" STR_FMT,
			       (char *)*state, STR_ARG(f.release));
		assert_int_equal(system(command), 0);
		if (lengths[i] == 0) {
			assert_int_equal(kernel_files_load(&f, &k, &source, NULL), ERR_NOTFOUND);
			continue;
		}
		assert_int_equal(kernel_files_load(&f, &k, &source, NULL), OK);
		assert_int_equal(source, KERNEL_FILE);
		kallsyms_fini(&k);
	}
}

static void a_file_of_another_build_is_not_taken(void **state)
{
	struct kernel_files f = { .id = other,
				  .cache = "/nowhere",
				  .release = STR("1.2.3"),
				  .why_not = "of another kernel" };
	enum kernel_source source;
	struct error err = { "" };
	char path[128];
	struct kallsyms k;

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	f.root = *state;
	assert_int_equal(kernel_files_load(&f, &k, &source, &err), ERR_NOTFOUND);
	assert_non_null(strstr(err.msg, "of another kernel"));
	(void)snprintf(path, sizeof(path), "%s/usr/lib/debug/boot/vmlinux-1.2.3", (char *)*state);
	f.vmlinux = path;
	assert_int_equal(kernel_files_load(&f, &k, &source, &err), ERR_NOTFOUND);
	assert_non_null(strstr(err.msg, "of another build"));
}

/* Make the debug information of another build of the kernel, and a copy without any. */
static const char lines_script[] =
	"set -e; cd \"$1\"; mkdir -p usr/lib/debug/lib/modules/1.2.3 usr/lib/debug/boot\n"
	"printf '.globl _text\\n_text: nop\\nnop\\n.globl other\\nother: nop\\n' >b.s\n"
	"make() { cc -g -nostdlib -static -no-pie -Wl,-Ttext=$1,-e,_text,--build-id=0x$2 -o \"$3\" "
	"b.s; }\n"
	"make 0xffffffff82000000 01020304 other.debug\n"
	"make 0xffffffff81000000 aabbccdd same.debug\n"
	"cp same.debug bare.debug; strip -g bare.debug\n";

static void lines_are_of_a_file_with_debug_information(void **state)
{
	static const struct {
		const char *named;
		const struct build_id *id;
		uint64_t text; /* 0: no lines */
	} cases[] = {
		{ "same.debug", &id, 0xffffffff81000000 },
		{ "same.debug", &other, 0 },
		{ "other.debug", &other, 0xffffffff82000000 },
		{ "other.debug", &id, 0 },
		{ "bare.debug", &id, 0 },
		{ "missing.debug", &id, 0 },
	};
	char command[2048];

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	if (!HAVE_LIBDW)
		SKIP_TEST("this build has no libdw");
	(void)snprintf(command, sizeof(command), "set -- %s; %s", (char *)*state, lines_script);
	assert_int_equal(system(command), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		/* first the file that the user named, then the same file where it is searched for
		 */
		for (int is_named = 1; is_named >= 0; is_named--) {
			struct kernel_files f = { .id = *cases[i].id,
						  .root = *state,
						  .cache = "/nowhere",
						  .release = STR("9.9.9") };
			struct lines *lines = NULL;
			struct error err = { "" };
			uint64_t text = 0;
			char path[128];
			int r;

			(void)snprintf(path, sizeof(path), "%s/%s", (char *)*state, cases[i].named);
			if (is_named)
				f.vmlinux = path;
			(void)snprintf(
				command, sizeof(command),
				"cd %s && rm -f usr/lib/debug/boot/vmlinux-9.9.9 && "
				"if [ -e %s ]; then cp %s usr/lib/debug/boot/vmlinux-9.9.9; fi",
				(char *)*state, cases[i].named, cases[i].named);
			assert_int_equal(system(command), 0);
			r = kernel_files_lines(&f, &lines, &text, &err);
			assert_int_equal(r, cases[i].text ? OK : ERR_NOTFOUND);
			assert_int_equal(text, cases[i].text);
			assert_string_equal(
				err.msg,
				r == OK ? ""
					: "no file of the kernel with debug information found");
			if (r == OK)
				lines_free(lines);
		}
	}
}

/* perf record's copy, of this kernel only, and only if the user names no file. */
static void the_copy_is_read_for_the_running_kernel_only(void **state)
{
	const struct build_id short_id = { { 0xaa }, 1 };
	struct kernel_files own = { .id = id, .is_running = true };
	struct kernel_files f;
	char cache[128];
	char command[512];
	struct kallsyms k;

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	(void)snprintf(cache, sizeof(cache), "%s/cache", (char *)*state);
	own.cache = cache;
	assert_true(kernel_files_own(&own, &k));
	kallsyms_fini(&k);
	for (unsigned int i = 0; i < 5; i++) {
		f = own;
		if (i == 0)
			f.kallsyms = "/nowhere";
		else if (i == 1)
			f.vmlinux = "/nowhere";
		else if (i == 2)
			f.is_running = false;
		else if (i == 3)
			f.id = short_id;
		else
			f.id = other;
		assert_false(kernel_files_own(&f, &k));
	}
	/* a copy that is not sorted is read whole, without the modules */
	(void)snprintf(command, sizeof(command),
		       "printf 'ffffffff81000040 t later\\nffffffff81000000 T _text\\n"
		       "ffffffffc0000000 t loaded\\t[made]\\n' "
		       ">%s/'[kernel.kallsyms]'/aabbccdd/kallsyms",
		       cache);
	assert_int_equal(system(command), 0);
	assert_true(kernel_files_own(&own, &k));
	assert_null(k.index);
	assert_int_equal(k.modules.len, 1);
	assert_true(has(&k, 0xffffffff81000041, "later"));
	kallsyms_fini(&k);
	(void)snprintf(command, sizeof(command), ">%s/'[kernel.kallsyms]'/aabbccdd/kallsyms",
		       cache);
	assert_int_equal(system(command), 0);
	assert_false(kernel_files_own(&own, &k));
}

static void a_file_without_symbols_is_refused(void **state)
{
	struct kernel_files f = { .id = id };
	enum kernel_source source;
	struct error err = { "" };
	char path[128];
	char command[512];
	struct kallsyms k;

	if (!*state)
		SKIP_TEST("no x86-64 compiler here");
	(void)snprintf(path, sizeof(path), "%s/stripped", (char *)*state);
	(void)snprintf(command, sizeof(command),
		       "cp %s/usr/lib/debug/boot/vmlinux-1.2.3 %s && strip %s", (char *)*state,
		       path, path);
	assert_int_equal(system(command), 0);
	f.vmlinux = path;
	assert_int_equal(kernel_files_load(&f, &k, &source, &err), ERR_NOTFOUND);
	assert_true(str_ends(str_of(err.msg), STR("stripped: without symbols")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_in_the_cache_is_found_by_build_id),
		cmocka_unit_test(vmlinux_is_found_by_release_and_has_its_own_addresses),
		cmocka_unit_test(without_a_release_no_file_of_a_release_is_taken),
		cmocka_unit_test(a_file_of_another_build_is_not_taken),
		cmocka_unit_test(a_file_without_symbols_is_refused),
		cmocka_unit_test(lines_are_of_a_file_with_debug_information),
		cmocka_unit_test(the_copy_is_read_for_the_running_kernel_only),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
