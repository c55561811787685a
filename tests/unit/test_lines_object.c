/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "symbols/elf_symbols.h"
#include "symbols/lines/lines.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT 0xffffffffc0402000 /* load address of the module */
#define RARE 0xffffffffc0408040 /* cold part of the module: elsewhere on newer kernels */
#define INIT 0xffffffffc0410000 /* freed after loading */

/* Tests expect lines: each function is on a line of its own. */
static const char a_c[] =
	"volatile long sink;\n"
	"static inline __attribute__((always_inline)) void inner(void) { sink = sink * 3; }\n"
	"static __attribute__((noinline)) void twin(void) { sink = sink + 1; }\n"
	"__attribute__((noinline)) void alpha(void) { inner(); twin(); }\n"
	"__attribute__((section(\".text.unlikely\"))) void rare(void) { sink = sink - 5; }\n"
	"__attribute__((section(\".init.text\"))) void start(void) { sink = 9; }\n";
static const char b_c[] =
	"extern volatile long sink;\n"
	"\n\n\n\n\n\n\n"
	"static __attribute__((noinline)) void twin(void) { sink = sink + 2; }\n"
	"__attribute__((noinline)) void beta(void) { sink = sink / 7; twin(); }\n";

struct fixture {
	char folder[32];
	struct elf_symbols elf; /* symbols; addresses are offsets in their section */
};

static bool write_file(const struct fixture *f, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	(void)snprintf(path, sizeof(path), "%s/%s", f->folder, name);
	out = fopen(path, "w");
	return out && fputs(text, out) >= 0 && fclose(out) == 0;
}

static void path_in(const struct fixture *f, const char *name, char ret[128])
{
	(void)snprintf(ret, 128, "%s/%s", f->folder, name);
}

static struct fixture *build(const char *flags, const char *more)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char command[512];
	char path[128];
	bool is_built = false;

	(void)snprintf(f->folder, sizeof(f->folder), "/tmp/assay-object-XXXXXX");
	if (HAVE_LIBDW && mkdtemp(f->folder) && write_file(f, "a.c", a_c) &&
	    write_file(f, "b.c", b_c)) {
		(void)snprintf(command, sizeof(command),
			       "cd %s && cc -O1 %s -c a.c b.c 2>/dev/null && "
			       "ld -r -o m.ko a.o b.o && cp m.ko whole && %s",
			       f->folder, flags, more);
		path_in(f, "whole", path);
		is_built = system(command) == 0 &&
			   elf_symbols_read(path, ELF_WHOLE, NULL, &f->elf, NULL) == OK;
	}
	if (is_built)
		return f;
	free(f);
	return NULL;
}

static void drop(struct fixture *f)
{
	char command[64];

	elf_symbols_fini(&f->elf);
	(void)snprintf(command, sizeof(command), "rm -r %s", f->folder);
	(void)!system(command);
	free(f);
}

/* Load address of the @nth function named @name. */
static uint64_t address_of(const struct fixture *f, const char *name, unsigned int nth)
{
	uint64_t base = strcmp(name, "rare") == 0 ? RARE : strcmp(name, "start") == 0 ? INIT : TEXT;

	VEC_FOREACH (e, &f->elf.table.entries) {
		if (str_eq(symtab_name(&f->elf.table, e), str_of(name)) && nth-- == 0)
			return base + e->start;
	}
	return 0;
}

static void write_kallsyms(const struct fixture *f)
{
	static const struct {
		const char *name;
		unsigned int nth;
	} functions[] = {
		{ "twin", 0 }, { "alpha", 0 }, { "twin", 1 }, { "beta", 0 }, { "rare", 0 }
	};
	char text[1024];
	size_t len = (size_t)snprintf(text, sizeof(text),
				      "ffffffff81000000 T _text\n"
				      "ffffffff81800000 T _etext\n"
				      "ffffffffc0300000 t twin\t[other]\n");

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%llx t %s\t[m]\n",
			(unsigned long long)address_of(f, functions[i].name, functions[i].nth),
			functions[i].name);
	assert_true(write_file(f, "kallsyms", text));
}

/* The innermost frame at @address, as text. */
static void assert_frame(struct resolver *r, struct dossier *d, uint64_t address, const char *want)
{
	size_t n;
	const sym_id *frames = resolver_frames(r, UINT32_MAX, CPUMODE_KERNEL, address,
					       RESOLVER_LINES | RESOLVER_INLINES, &n);

	assert_true(n > 0);
	assert_str(symbols_name(&d->symbols, frames[n - 1]), want);
}

static void check_frames(const struct fixture *f, const char *file)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver_options options = { .is_here = true };
	struct resolver *r;
	char kallsyms[128];
	char path[128];

	path_in(f, "kallsyms", kallsyms);
	path_in(f, file, path);
	options.kallsyms = kallsyms;
	options.cache = f->folder;
	r = resolver_new(&d->symbols, &options);
	resolver_map(r, UINT32_MAX, 0xffffffff81000000, 0x800000, 0, STR("[kernel.kallsyms]_text"),
		     NULL);
	resolver_map(r, UINT32_MAX, TEXT, 0x10000, 0, str_of(path), NULL);
	assert_frame(r, d, address_of(f, "twin", 0), "twin a.c:3");
	assert_frame(r, d, address_of(f, "twin", 1), "twin b.c:9");
	assert_frame(r, d, address_of(f, "beta", 0), "beta b.c:10");
	assert_frame(r, d, address_of(f, "rare", 0), "rare a.c:5");
	/* the first code of alpha(), after an endbr64 if any, is inlined */
	assert_frame(r, d, address_of(f, "alpha", 0) + 4, "inner a.c:2");
	resolver_free(r);
}

static void functions_of_a_module_have_lines_and_inlined_calls(void **state)
{
	static const char *const flags[] = { "-gdwarf-5", "-gdwarf-4", "-gdwarf-5 -gz" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		struct fixture *f = build(flags[i], "true");

		if (!f)
			SKIP_TEST("no compiler or no libdw here");
		write_kallsyms(f);
		check_frames(f, "m.ko");
		drop(f);
	}
}

static void its_debug_information_may_be_in_a_separate_file(void **state)
{
	struct fixture *f =
		build("-g", "objcopy --only-keep-debug m.ko m.ko.debug && strip -g m.ko && "
			    "objcopy --add-gnu-debuglink=m.ko.debug m.ko && "
			    "cp m.ko m.ko.xz && rm whole && cp m.ko.debug whole");

	(void)state;
	if (!f)
		SKIP_TEST("no compiler or no libdw here");
	write_kallsyms(f);
	check_frames(f, "m.ko");
	/* a compressed module has its debug information next to the original file */
	check_frames(f, "m.ko.xz");
	drop(f);
}

static void without_its_functions_it_is_laid_out_as_the_kernel_does(void **state)
{
	struct fixture *f = build("-g", "true");
	struct line_frame frames[LINES_FRAMES_MAX];
	struct elf_load loads[ELF_LOADS_MAX];
	const struct symtab nothing = { .mapping = NULL };
	struct lines *lines;
	char path[128];
	size_t n;
	size_t found = 0;

	(void)state;
	if (!f)
		SKIP_TEST("no compiler or no libdw here");
	path_in(f, "m.ko", path);
	assert_int_equal(lines_open(path, NULL, &lines, NULL), OK);
	n = lines_loads(lines, &nothing, 0, TEXT, loads);
	assert_int_equal(n, 2); /* without .init.text, which is freed */
	for (size_t i = 0; i < n; i++) {
		assert_true(loads[i].offset >= TEXT && loads[i].offset < TEXT + 0x1000);
		for (uint64_t at = 0; at < loads[i].size; at++) {
			if (lines_find(lines, loads[i].vaddr + at, frames) &&
			    str_eq(frames[0].function, STR("rare")) && frames[0].line == 5)
				found++;
		}
	}
	assert_true(found > 0);
	lines_free(lines);
	drop(f);
}

static void a_file_that_is_no_such_has_no_loads(void **state)
{
	struct fixture *f = build("-g", "cc -shared -nostdlib -g -fPIC -o a.so a.c");
	struct elf_load loads[ELF_LOADS_MAX];
	struct lines *lines;
	char path[128];

	(void)state;
	if (!f)
		SKIP_TEST("no compiler or no libdw here");
	path_in(f, "a.so", path);
	assert_int_equal(lines_open(path, NULL, &lines, NULL), OK);
	assert_int_equal(lines_loads(lines, NULL, 0, TEXT, loads), 0);
	lines_free(lines);
	drop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_a_module_have_lines_and_inlined_calls),
		cmocka_unit_test(its_debug_information_may_be_in_a_separate_file),
		cmocka_unit_test(without_its_functions_it_is_laid_out_as_the_kernel_does),
		cmocka_unit_test(a_file_that_is_no_such_has_no_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
