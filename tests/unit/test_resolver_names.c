/* SPDX-License-Identifier: MIT */
/*
 * Names that one resolver collects, written and read, give another resolver the same answers
 * without any file.
 */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "jitdumps.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/names.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM UINT64_C(0x100000) /* where the program is mapped */
#define KERNEL  UINT64_C(0xffffffff81000000)
#define MODULE  UINT64_C(0xffffffffc0000000)

static const char source[] =
	"volatile long sink;\n"
	"static inline __attribute__((always_inline)) void inner(void) { sink = sink * 3; }\n"
	"static inline __attribute__((always_inline)) void outer(void) { inner();\n"
	"  sink = sink / 5; }\n"
	"__attribute__((noinline)) void work(long n) { outer(); sink = sink + n; }\n"
	"__attribute__((noinline)) void unused(void) { sink = 1; }\n"
	"__attribute__((noinline)) void other(long n) { if (n) work(n - 1);\n"
	"  outer(); work(n); }\n";

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 T do_work\n"
			       "ffffffff81000180 T not_called\n"
			       "ffffffff81000200 t helper\n"
			       "ffffffff81002000 T _etext\n"
			       "ffffffff82000000 D data_here\n"
			       "ffffffff83000000 T _sinittext\n"
			       "ffffffff83000100 t start_it\n"
			       "ffffffff83001000 T _einittext\n"
			       "ffffffffc0000000 t ext4_read\t[ext4]\n"
			       "ffffffffc0000800 t ext4_write\t[ext4]\n"
			       "ffffffffc0001000 t nf_hook\t[nf]\n";

struct fixture {
	char root[64];
	uint64_t end;                /* of the program's code */
	uint64_t unused, unused_end; /* a function that nobody asks for */
};

static void path_in(const struct fixture *f, const char *name, char ret[128])
{
	(void)snprintf(ret, 128, "%s/%s", f->root, name);
}

static void write_file(const struct fixture *f, const char *name, struct str text)
{
	char path[128];
	FILE *out;

	path_in(f, name, path);
	out = fopen(path, "we");
	assert_non_null(out);
	assert_int_equal(fwrite(text.p, 1, text.len, out), text.len);
	assert_int_equal(fclose(out), 0);
}

static void write_dump(const struct fixture *f)
{
	struct jit_bytes b;

	jit_begin(&b, false, 0);
	jit_record(&b, 2, 16 + 2 * 16 + strlen("a.js") + 1 + 2, 90);
	jit_put64(&b, 0x1000);
	jit_put64(&b, 2);
	jit_entry(&b, 0x1000, 3, "a.js");
	jit_entry(&b, 0x1020, 5, "\xff");
	jit_load(&b, 100, 0x1000, 0x40, 1, "one");
	jit_load(&b, 200, 0x1020, 0x40, 2, "two");
	jit_load(&b, 100, 0x1100, 0x40, 3, "unused");
	jit_load(&b, 100, 0x1200, 0x40, 4, "moved");
	jit_move(&b, 250, 0x1200, 0x1300, 0x20, 4);
	write_file(f, "jit-7.dump", out_view(&b.o));
	out_fini(&b.o);
}

static bool build(struct fixture *f)
{
	char command[256], path[128];
	struct elf_symbols e;

	*f = (struct fixture){ .root = "/tmp/assay-names-XXXXXX" };
	assert_non_null(mkdtemp(f->root));
	write_file(f, "a.c", str_of(source));
	write_file(f, "kallsyms", str_of(kallsyms));
	write_dump(f);
	(void)snprintf(command, sizeof(command),
		       "cd %s && cc -O1 -g -fPIC -shared -nostdlib -o a.so a.c 2>/dev/null && "
		       "cp a.so b.so && strip b.so && objcopy -R .dynsym -R .gnu.hash b.so",
		       f->root);
	path_in(f, "a.so", path);
	if (!HAVE_LIBDW || system(command) != 0 ||
	    elf_symbols_read(path, ELF_WHOLE, NULL, &e, NULL) < 0)
		return false;
	symtab_finish(&e.table, true);
	VEC_FOREACH (s, &e.table.entries) {
		f->end = s->end > f->end && s->end < 0x10000 ? s->end : f->end;
		if (str_eq(symtab_name(&e.table, s), STR("unused"))) {
			f->unused = PROGRAM + s->start;
			f->unused_end = PROGRAM + s->end;
		}
	}
	elf_symbols_fini(&e);
	return true;
}

static void drop(const struct fixture *f)
{
	char command[96];

	(void)snprintf(command, sizeof(command), "rm -r %s", f->root);
	(void)!system(command);
}

static struct resolver *start(struct dossier *d, const struct resolver_options *options,
			      bool is_monotonic)
{
	const struct origin_facts facts = { .is_monotonic = is_monotonic };
	struct resolver *r = resolver_new(&d->symbols, options);

	resolver_recorded(r, &facts);
	resolver_map(r, UINT32_MAX, KERNEL, 0x2000, 0, STR("[kernel.kallsyms]_text"), NULL);
	resolver_map(r, UINT32_MAX, MODULE, 0x1000, 0, STR("/lib/modules/6.1/ext4.ko"), NULL);
	resolver_map(r, 7, PROGRAM, 0x10000, 0, STR("/a.so"), NULL);
	resolver_map(r, 8, PROGRAM, 0x10000, 0, STR("/b.so"), NULL);
	resolver_map(r, 8, 2 * PROGRAM, 0x10000, 0, STR("/missing.so"), NULL);
	resolver_map(r, 9, PROGRAM, 0x10000, 0, STR("/never-used.so"), NULL);
	resolver_map(r, 7, 0x1000, 0x1000, 0, STR("//anon"), NULL);
	resolver_map(r, 7, 0x5000, 0x1000, 0, STR("/jit-7.dump"), NULL);
	resolver_map(r, 8, 0x1000, 0x1000, 0, STR("//anon"), NULL);
	resolver_map(r, 8, 0x5000, 0x1000, 0, STR("/jit-8.dump"), NULL);
	return r;
}

static void say_frames(struct out *o, struct dossier *d, struct resolver *r, uint32_t pid,
		       enum cpumode mode, uint64_t at, unsigned int detail)
{
	size_t n;
	const sym_id *frames = resolver_frames(r, pid, mode, at, detail, &n);

	out_printf(o, "%u %llx", pid, (unsigned long long)at);
	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = symbols_get(&d->symbols, frames[i]);

		out_printf(o, " %s[" STR_FMT "]", s->flags & SYMBOL_INLINED ? "+" : "",
			   STR_ARG(symbols_module(&d->symbols, frames[i])));
		out_str(o, symbols_name(&d->symbols, frames[i]));
		out_z(o, "@");
		out_str(o, strings_get(&d->strings, s->place));
	}
	out_z(o, "\n");
}

/* All that @r says about the machine at some times, addresses and details. */
static void say_all(struct out *o, const struct fixture *f, struct dossier *d, struct resolver *r)
{
	static const uint64_t kernel[] = { KERNEL,         KERNEL + 0xff,      KERNEL + 0x100,
					   KERNEL + 0x210, 0xffffffff82000000, 0xffffffff83000100,
					   MODULE + 8,     MODULE + 0x800,     MODULE + 0x1000,
					   KERNEL - 1 };
	static const uint64_t times[] = { 50, 150, 220, 260 };
	const unsigned int details[] = { 0, RESOLVER_INLINES | RESOLVER_LINES, RESOLVER_PLACES,
					 RESOLVER_INLINES | RESOLVER_AFTER_CALL };
	const struct resolver_missing *missing;
	size_t n;

	for (size_t t = 0; t < ARRAY_LEN(times); t++) {
		(void)resolver_at(r, times[t]);
		for (uint64_t at = 0x1000; at < 0x1400; at += 0x10) {
			if (at / 0x100 != 0x11)
				say_frames(o, d, r, 7, CPUMODE_USER, at, RESOLVER_LINES);
			say_frames(o, d, r, 8, CPUMODE_USER, at, RESOLVER_PLACES);
		}
		out_printf(o, "next %llu\n", (unsigned long long)resolver_next_code(r));
	}
	for (size_t i = 0; i < ARRAY_LEN(kernel); i++) {
		say_frames(o, d, r, 1, CPUMODE_KERNEL, kernel[i], 0);
		out_printf(o, "data %d\n",
			   resolver_is_data(r, resolver_symbol(r, 1, CPUMODE_KERNEL, kernel[i])));
	}
	for (size_t i = 0; i < ARRAY_LEN(details); i++) {
		for (uint64_t at = PROGRAM; at < PROGRAM + f->end + 8; at++) {
			if (at < f->unused || at > f->unused_end)
				say_frames(o, d, r, 7, CPUMODE_USER, at, details[i]);
		}
		say_frames(o, d, r, 8, CPUMODE_USER, 2 * PROGRAM + 0x123, details[i]);
	}
	for (uint64_t at = PROGRAM; at < PROGRAM + f->end + 8; at++) {
		out_printf(o, "%llx has no frame %d\n", (unsigned long long)at,
			   resolver_has_no_frame(r, 7, at));
		if (at % 16 == 0)
			say_frames(o, d, r, 8, CPUMODE_USER, at, 0);
	}
	missing = resolver_missing(r, &n);
	for (size_t i = 0; i < n; i++)
		out_printf(o, STR_FMT " %llu %d: " STR_FMT "\n", STR_ARG(missing[i].path),
			   (unsigned long long)missing[i].lookups, missing[i].is_kernel,
			   /* that of the kernel follows */
			   STR_ARG(missing[i].is_kernel ? STR("?") : missing[i].why));
	out_printf(o, "unread %zu\n", resolver_unread(r));
	out_str(o, resolver_kernel_missing(r));
}

/* The collected names of what one resolver says; @ret receives both. */
static void collect(const struct fixture *f, const struct resolver_options *given,
		    bool is_monotonic, struct out *ret_said, struct out *ret_section)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver_options options = *given;
	struct names collected = { .symbols = VEC_INIT };
	struct resolver *r;

	options.collected = &collected;
	r = start(d, &options, is_monotonic);
	say_all(ret_said, f, d, r);
	resolver_collect_names(r);
	names_write(&collected, ret_section);
	resolver_free(r);
	names_fini(&collected);
}

static void compare(const struct fixture *f, const struct resolver_options *given,
		    bool is_monotonic, const char *const *wanted, size_t n_wanted)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver_options options = { .names = NULL };
	struct out said, section, again;
	struct names names;
	struct resolver *r;

	out_init(&said);
	out_init(&section);
	out_init(&again);
	collect(f, given, is_monotonic, &said, &section);
	for (size_t i = 0; i < n_wanted; i++) {
		if (!str_contains(out_view(&said), str_of(wanted[i])))
			print_error("nowhere: '%s'\n", wanted[i]);
		assert_true(str_contains(out_view(&said), str_of(wanted[i])));
	}
	assert_true(names_read(out_view(&section), &names));
	options.names = &names;
	r = start(d, &options, is_monotonic);
	say_all(&again, f, d, r);
	if (!str_eq(out_view(&said), out_view(&again))) {
		struct str a = out_view(&said), b = out_view(&again), x, y;

		while (str_line(&a, &x) && str_line(&b, &y)) {
			if (!str_eq(x, y))
				print_error("'" STR_FMT "'\n'" STR_FMT "'\n", STR_ARG(x),
					    STR_ARG(y));
		}
	}
	assert_true(str_eq(out_view(&said), out_view(&again)));
	resolver_free(r);
	/* functions that nobody asked for are not in it */
	VEC_FOREACH (s, &names.symbols) {
		assert_false(str_eq(s->name, STR("unused")));
		assert_false(str_eq(s->name, STR("not_called")));
	}
	VEC_FOREACH (c, &names.jit_codes)
		assert_false(str_eq(c->name, STR("unused")));
	VEC_FOREACH (m, &names.modules)
		assert_false(str_eq(m->path, STR("/never-used.so")));
	names_fini(&names);
	out_fini(&said);
	out_fini(&section);
	out_fini(&again);
}

static void names_answer_as_the_files_did(void **state)
{
	static const char *const wanted[] = {
		"[a.so]work",
		"[a.so]work a.c:5@ +[a.so]outer a.c:3@ +[a.so]inner a.c:2",
		"[a.so]work@a.c:5",
		" has no frame 1",
		" has no frame 0",
		"[[JIT] tid 7]one a.js:3@",
		"[[JIT] tid 7]one a.js:5@",
		"[[JIT] tid 7]two@",
		"[[JIT] tid 7]moved@",
		"[[kernel.kallsyms]]do_work@",
		"[[kernel.kallsyms]]start_it@",
		"[[ext4]]ext4_read@",
		"data 1",
		"/missing.so ",
		"/b.so ",
		"next 200",
		"next 250",
	};
	struct resolver_options options = { .is_here = true };
	struct fixture f;
	char path[128];

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	path_in(&f, "kallsyms", path);
	options.root = f.root;
	options.kallsyms = path;
	compare(&f, &options, true, wanted, ARRAY_LEN(wanted));
	drop(&f);
}

static void names_that_are_missing_have_their_reason(void **state)
{
	static const char *const wanted[] = { "not wanted",
					      "[[kernel.kallsyms]]0xffffffff81000100@" };
	struct resolver_options options = { .kernel_refused = "not wanted" };
	struct fixture f;

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	options.root = f.root;
	compare(&f, &options, false, wanted, ARRAY_LEN(wanted));
	drop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_answer_as_the_files_did),
		cmocka_unit_test(names_that_are_missing_have_their_reason),
	};

	return cmocka_run_group_tests_name("resolver_names", tests, NULL, NULL);
}
