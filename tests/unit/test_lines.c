/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "symbols/elf_symbols.h"
#include "symbols/lines/lines.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Line numbers are those of the array: inner is called in line 3, outer in line 5. */
static const char source[] =
	"volatile long sink;\n"
	"static inline __attribute__((always_inline)) void inner(void) { sink = sink * 3; }\n"
	"static inline __attribute__((always_inline)) void outer(void) { inner();\n"
	"  sink = sink / 5; }\n"
	"__attribute__((noinline)) void work(void) { outer();\n"
	"  sink = sink + 7; }\n"
	/* its inlined calls have several ranges, and its unit has two sections of code */
	"static inline __attribute__((always_inline)) void rare(long n) {\n"
	"  if (__builtin_expect(n > 1000, 0)) sink = sink / 11;\n"
	"  outer(); }\n"
	"__attribute__((noinline, section(\".text.other\"))) void other(long n) {\n"
	"  for (long i = 0; i < n; i++) { rare(i); rare(i * n); }\n"
	"  sink = sink ^ n; }\n"
	/* -fdebug-types-section gives the type a unit of its own */
	"struct pair { long a, b; } pairs[4];\n";

struct fixture {
	struct lines *lines;
	uint64_t start, end;             /* addresses of work() */
	uint64_t other_start, other_end; /* addresses of other() */
	bool is_split; /* a file of split debug information is opened on first use */
};

static bool build_by(struct fixture *f, const char *script)
{
	char folder[] = "/tmp/assay-lines-XXXXXX";
	char path[64];
	char command[1536];
	struct line_frame frames[LINES_FRAMES_MAX];
	struct elf_symbols e;
	FILE *out;
	bool is_built = false;

	if (!HAVE_LIBDW || !mkdtemp(folder))
		return false;
	(void)snprintf(path, sizeof(path), "%s/a.c", folder);
	out = fopen(path, "w");
	if (out) {
		(void)fputs(source, out);
		(void)fclose(out);
		(void)snprintf(command, sizeof(command), "cd %s && (%s) >/dev/null 2>&1", folder,
			       script);
		is_built = system(command) == 0;
	}
	(void)snprintf(path, sizeof(path), "%s/a.so", folder);
	if (is_built && elf_symbols_read(path, ELF_WHOLE, NULL, &e, NULL) == OK) {
		symtab_finish(&e.table, true);
		VEC_FOREACH (s, &e.table.entries) {
			if (str_eq(symtab_name(&e.table, s), STR("work"))) {
				f->start = s->start;
				f->end = s->end;
			}
			if (str_eq(symtab_name(&e.table, s), STR("other"))) {
				f->other_start = s->start;
				f->other_end = s->end;
			}
		}
		elf_symbols_fini(&e);
		is_built =
			f->start && f->other_start && lines_open(path, NULL, &f->lines, NULL) == OK;
		if (is_built && f->is_split)
			(void)lines_find(f->lines, f->start, frames);
	}
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	(void)!system(command);
	return is_built;
}

static bool build(struct fixture *f, const char *flags)
{
	char script[256];

	(void)snprintf(script, sizeof(script), "cc -O1 %s -shared -fPIC -nostdlib -o a.so a.c",
		       flags);
	return build_by(f, script);
}

/* Whether some address of work() has @depth inlined frames with these names and lines. */
static bool has_chain(struct fixture *f, size_t depth, const char *const *names,
		      const uint32_t *numbers)
{
	struct line_frame frames[LINES_FRAMES_MAX];

	for (uint64_t at = f->start; at < f->end; at++) {
		size_t n = lines_find(f->lines, at, frames);
		bool is_same = n == depth;

		for (size_t i = 0; is_same && i < n; i++)
			is_same = str_eq(frames[i].function, str_of(names[i])) &&
				  frames[i].line == numbers[i] &&
				  str_ends(frames[i].file, STR("a.c")) &&
				  frames[i].is_inlined == (i + 1 < n);
		if (is_same)
			return true;
	}
	return false;
}

static void inlined_calls_have_names_and_lines(void **state)
{
	static const char *const flags[] = { "-gdwarf-5", "-gdwarf-4" };
	static const char *const names[] = { "inner", "outer", "work" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		struct fixture f = { NULL };

		if (!build(&f, flags[i]))
			SKIP_TEST("no compiler or no libdw here");
		assert_true(has_chain(&f, 3, names, (const uint32_t[]){ 2, 3, 5 }));
		assert_true(has_chain(&f, 2, names + 1, (const uint32_t[]){ 4, 5 }));
		assert_true(has_chain(&f, 1, names + 2, (const uint32_t[]){ 6 }));
		lines_free(f.lines);
	}
}

/* In Fortran, functions are parts of a module. */
static void functions_of_a_module_have_names(void **state)
{
	static const char *const names[] = { "work" };
	struct fixture f = { NULL };

	(void)state;
	if (!build_by(&f, "printf 'module shelf\\n integer, volatile :: n = 1\\ncontains\\n"
			  " subroutine work() bind(c)\\n  n = n * 3\\n end subroutine\\n"
			  " subroutine other() bind(c)\\n  n = n + 1\\n end subroutine\\n"
			  "end module\\n' >a.c; gfortran -x f95 -ffree-form -O1 -g -shared -fPIC "
			  "-nostdlib -o a.so a.c"))
		SKIP_TEST("no Fortran compiler or no libdw here");
	assert_true(has_chain(&f, 1, names, (const uint32_t[]){ 5 }));
	lines_free(f.lines);
}

static void nothing_is_known_elsewhere(void **state)
{
	struct line_frame frames[LINES_FRAMES_MAX];
	struct fixture f = { NULL };

	(void)state;
	if (!build(&f, "-g"))
		SKIP_TEST("no compiler or no libdw here");
	assert_int_equal(lines_find(f.lines, 0, frames), 0);
	assert_int_equal(lines_find(f.lines, UINT64_MAX, frames), 0);
	lines_free(f.lines);
}

static void a_file_without_debug_information_is_said_to_have_none(void **state)
{
	struct fixture f = { NULL };

	(void)state;
	assert_false(build(&f, "-g0"));
	assert_true(lines_open("/nowhere", NULL, &f.lines, NULL) < 0);
	assert_null(f.lines);
}

/*
 * All names of a.so are in alt.debug, as after dwz -m. The script moves them by itself, because dwz
 * may be missing.
 */
#define ALT_SCRIPT                                                                 \
	"set -e; cc -O1 -g -dA -fPIC -S a.c;"                                      \
	"sed -i '/DW_FORM_strp)/s/0xe/0x1f21/' a.s; grep -q 0x1f21 a.s;"           \
	"cc -shared -nostdlib -Wl,--build-id=0x4142434445464748 -o alt.debug a.s;" \
	"{ printf 'alt.debug\\0'; printf %s; } >link;"                             \
	"objcopy -R .debug_str --add-section .gnu_debugaltlink=link alt.debug a.so;"

static void names_that_dwz_moved_are_read_from_its_file(void **state)
{
	static const char *const names[] = { "inner", "outer", "work" };
	static const uint32_t numbers[] = { 2, 3, 5 };
	struct fixture f = { NULL };
	char script[1024];

	(void)state;
	(void)snprintf(script, sizeof(script), ALT_SCRIPT, "ABCDEFGH");
	if (!build_by(&f, script))
		SKIP_TEST("no compiler whose output says DW_FORM_strp, or no libdw");
	assert_true(has_chain(&f, 3, names, numbers));
	lines_free(f.lines);
}

/* An inlined function without a name is omitted, because its row would have no name. */
static void without_the_right_file_only_the_place_is_known(void **state)
{
	static const struct {
		const char *id, *then;
	} cases[] = { { "ABCDEFGJ", "true" }, { "ABCDEFGH", "rm alt.debug" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct line_frame frames[LINES_FRAMES_MAX];
		struct fixture f = { NULL };
		char script[1024];
		bool has_line = false;

		(void)snprintf(script, sizeof(script), ALT_SCRIPT "%s", cases[i].id, cases[i].then);
		if (!build_by(&f, script))
			SKIP_TEST("no compiler whose output says DW_FORM_strp, or no libdw");
		for (uint64_t at = f.start; at < f.end; at++) {
			size_t n = lines_find(f.lines, at, frames);

			assert_true(n <= 1);
			assert_false(n && frames[0].is_inlined);
			has_line |= n && frames[0].line == 2;
		}
		assert_true(has_line);
		lines_free(f.lines);
	}
}

/* The files of split debug information: with them, without them, and in a .dwp file. */
#define SPLIT_SCRIPT "set -e; %s -O2 -gdwarf-%d %s -shared -fPIC -nostdlib -o a.so a.c; %s"

static bool build_split(struct fixture *f, const char *compiler, int version, const char *flags,
			const char *then)
{
	char script[512];

	*f = (struct fixture){ .is_split = true };
	(void)snprintf(script, sizeof(script), SPLIT_SCRIPT, compiler, version, flags, then);
	return build_by(f, script);
}

static void split_debug_information_has_lines_without_its_file(void **state)
{
	struct line_frame frames[LINES_FRAMES_MAX];
	struct str path;

	(void)state;
	for (int version = 4; version <= 5; version++) {
		struct fixture f;
		bool has_line = false;

		if (!build_split(&f, "cc", version, "-gsplit-dwarf", "rm *.dwo"))
			SKIP_TEST("no compiler that splits debug information, or no libdw");
		for (uint64_t at = f.start; at < f.end; at++)
			has_line |= lines_find(f.lines, at, frames) == 1 && frames[0].line == 6 &&
				    !frames[0].is_inlined;
		assert_true(has_line);
		assert_int_equal(lines_missing(f.lines, &path), 1);
		assert_true(str_starts(path, STR("/tmp/assay-lines-")));
		assert_true(str_ends(path, STR(".dwo")));
		lines_free(f.lines);
	}
}

/* Whether both files say the same about all addresses from @start to @end. */
static void assert_same_chains(struct fixture *a, struct fixture *b, uint64_t start, uint64_t end)
{
	struct line_frame x[LINES_FRAMES_MAX];
	struct line_frame y[LINES_FRAMES_MAX];
	size_t deepest = 0;

	for (uint64_t at = start; at < end; at++) {
		size_t n = lines_find(a->lines, at, x);

		assert_int_equal(lines_find(b->lines, at, y), n);
		for (size_t i = 0; i < n; i++) {
			assert_true(str_eq(x[i].function, y[i].function));
			assert_int_equal(x[i].line, y[i].line);
			assert_int_equal(x[i].is_inlined, y[i].is_inlined);
			assert_true(str_ends(x[i].file, STR("/a.c")));
			assert_true(str_ends(y[i].file, STR("/a.c")));
		}
		deepest = n > deepest ? n : deepest;
	}
	assert_true(deepest >= 3);
}

static void split_debug_information_says_what_the_whole_one_says(void **state)
{
	static const struct {
		const char *compiler;
		int version;
		const char *then;
	} cases[] = {
		{ "gcc", 4, "true" },
		{ "gcc", 5, "true" },
		{ "clang", 4, "true" },
		{ "clang", 5, "true" },
		{ "clang-14", 4, "true" },
		{ "clang-14", 5, "true" },
		{ "gcc", 5, "objcopy --compress-debug-sections *.dwo" },
		{ "gcc -fdebug-types-section", 4, "true" },
		{ "gcc -fdebug-types-section", 5,
		  "[ $(readelf -SW *.dwo | grep -c 'debug_info.dwo ') = 2 ]" },
		{ "gcc", 4, "dwp -e a.so -o a.so.dwp; rm *.dwo" },
		{ "clang-14", 5, "llvm-dwp-14 -e a.so -o a.so.dwp; rm *.dwo" },
		/* the compiler's folder is gone: the file is next to the program */
		{ "gcc -fdebug-prefix-map=$(pwd)=/nowhere", 5, "true" },
	};
	size_t n_built = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture split;
		struct fixture whole;
		struct str path;

		/* a compiler or a packer may be missing here */
		if (!build_split(&split, cases[i].compiler, cases[i].version, "-gsplit-dwarf",
				 cases[i].then))
			continue;
		assert_true(build_split(&whole, cases[i].compiler, cases[i].version, "", "true"));
		assert_int_equal(split.start, whole.start);
		assert_same_chains(&split, &whole, whole.start, whole.end);
		assert_same_chains(&split, &whole, whole.other_start, whole.other_end);
		assert_int_equal(lines_missing(split.lines, &path), 0);
		lines_free(split.lines);
		lines_free(whole.lines);
		n_built++;
	}
	if (!n_built)
		SKIP_TEST("no compiler that splits debug information, or no libdw");
}

static void split_debug_information_of_another_build_is_refused(void **state)
{
	static const char other[] =
		"sed s/inner/other_inner/ a.c >b.c; gcc -O2 -gdwarf-5 -gsplit-dwarf -fPIC -c b.c; "
		"for f in a*.dwo; do mv b.dwo $f; done";
	struct line_frame frames[LINES_FRAMES_MAX];
	struct fixture f;
	struct str path;

	(void)state;
	if (!build_split(&f, "gcc", 5, "-gsplit-dwarf", other))
		SKIP_TEST("no compiler that splits debug information, or no libdw");
	for (uint64_t at = f.start; at < f.end; at++)
		assert_true(lines_find(f.lines, at, frames) <= 1);
	assert_int_equal(lines_missing(f.lines, &path), 1);
	lines_free(f.lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_calls_have_names_and_lines),
		cmocka_unit_test(functions_of_a_module_have_names),
		cmocka_unit_test(nothing_is_known_elsewhere),
		cmocka_unit_test(names_that_dwz_moved_are_read_from_its_file),
		cmocka_unit_test(without_the_right_file_only_the_place_is_known),
		cmocka_unit_test(split_debug_information_has_lines_without_its_file),
		cmocka_unit_test(split_debug_information_says_what_the_whole_one_says),
		cmocka_unit_test(split_debug_information_of_another_build_is_refused),
		cmocka_unit_test(a_file_without_debug_information_is_said_to_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
