/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "profiles.h"
#include "symbols/elf_symbols.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>

#define MAPPED 0x10000u

/* inner is in line 2, work in line 3 */
static const char source[] =
	"volatile long sink;\n"
	"static inline __attribute__((always_inline)) void inner(void) { sink = sink * 3; }\n"
	"__attribute__((noinline)) void work(void) { inner(); sink = sink + 7; }\n"
	"__attribute__((noinline)) void other(void) { sink = sink - 1; }\n";

struct fixture {
	char folder[32];
	char path[64];
	uint64_t start, end; /* offsets of work() in the file */
};

static bool build(struct fixture *f)
{
	char command[256];
	struct elf_symbols e;
	FILE *out;

	*f = (struct fixture){ .folder = "/tmp/assay-srcline-XXXXXX" };
	if (!HAVE_LIBDW || !mkdtemp(f->folder))
		return false;
	(void)snprintf(f->path, sizeof(f->path), "%s/a.c", f->folder);
	out = fopen(f->path, "w");
	if (!out)
		return false;
	(void)fputs(source, out);
	(void)fclose(out);
	(void)snprintf(command, sizeof(command),
		       "cd %s && cc -O1 -g -shared -fPIC -nostdlib -o a.so a.c 2>/dev/null",
		       f->folder);
	(void)snprintf(f->path, sizeof(f->path), "%s/a.so", f->folder);
	if (system(command) != 0 || elf_symbols_read(f->path, ELF_WHOLE, NULL, &e, NULL) < 0)
		return false;
	symtab_finish(&e.table, true);
	VEC_FOREACH (s, &e.table.entries) {
		if (str_eq(symtab_name(&e.table, s), STR("work"))) {
			f->start = s->start;
			f->end = s->end;
		}
	}
	elf_symbols_fini(&e);
	return f->end > f->start;
}

static void drop(const struct fixture *f)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -r %s", f->folder);
	(void)!system(command);
}

/* Whether some address of work() is resolved to a symbol "work" with @place. */
static bool has_place(struct dossier *d, struct resolver *r, const struct fixture *f,
		      unsigned int detail, const char *place)
{
	bool found = false;

	for (uint64_t at = f->start; at < f->end; at++) {
		size_t n;
		sym_id sym = *resolver_frames(r, 7, CPUMODE_USER, MAPPED + at, detail, &n);
		struct str text = strings_get(&d->strings, symbols_get(&d->symbols, sym)->place);

		assert_int_equal(n, 1);
		assert_str(symbols_name(&d->symbols, sym), "work");
		found |= str_eq(text, str_of(place));
	}
	return found;
}

static const struct resolver_options here = { .is_here = true };

static void each_line_of_a_function_is_a_symbol_of_its_name(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r;
	struct fixture f;

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	r = resolver_new(&d->symbols, &here);
	resolver_map(r, 7, MAPPED, 0x100000, 0, str_of(f.path), NULL);
	assert_true(has_place(d, r, &f, RESOLVER_PLACES, "a.c:2"));
	assert_true(has_place(d, r, &f, RESOLVER_PLACES, "a.c:3"));
	assert_true(has_place(d, r, &f, RESOLVER_SOURCES, "a.c"));
	assert_false(has_place(d, r, &f, RESOLVER_SOURCES, "a.c:3"));
	resolver_free(r);
	drop(&f);
}

static void code_without_a_file_has_its_place_in_the_function(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, &here);
	const struct symbol *s;
	size_t n;

	(void)state;
	resolver_kernel_symbol(r, 0xffffffffc0000000, 0x100, STR("bpf_prog_1_busy"), false);
	s = symbols_get(&d->symbols, *resolver_frames(r, 7, CPUMODE_KERNEL, 0xffffffffc0000012,
						      RESOLVER_PLACES, &n));
	assert_str(strings_get(&d->strings, s->place), "bpf_prog_1_busy+18");
	s = symbols_get(&d->symbols,
			*resolver_frames(r, 7, CPUMODE_USER, 0x1234, RESOLVER_PLACES, &n));
	assert_str(strings_get(&d->strings, s->place), "\?\?:0");
	s = symbols_get(&d->symbols,
			*resolver_frames(r, 7, CPUMODE_USER, 0x1234, RESOLVER_SOURCES, &n));
	assert_int_equal(s->place.v, 0);
	resolver_free(r);
}

static void lines_are_keys_where_something_says_them(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "app;main;work 3\napp;main;other 2\n");
	struct top_spec spec = { .keys = { { .key = TOP_SRCLINE }, { .key = TOP_SRCFILE } },
				 .n_keys = 2 };
	struct stacks *stacks = &c->profile->stacks;
	struct error err = { "" };
	struct top t;
	char buffer[24];

	(void)state;
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "perf.data"));
	VEC_FOREACH (sym, &stacks->sym) {
		if (str_eq(symbols_name(&d->symbols, *sym), STR("work"))) {
			*sym = symbols_add_place(&d->symbols, *sym, STR_NONE,
						 strings_add(&d->strings, STR("a.c:3")));
			symbols_set_place(&d->symbols, *sym, strings_add(&d->strings, STR("a.c")),
					  3);
		}
	}
	assert_int_equal(top_compute(c, &cats, &spec, &t, &err), OK);
	assert_str(top_key_text(c, &t, &t.rows.data[1], 0, buffer), "a.c:3");
	assert_str(top_key_text(c, &t, &t.rows.data[1], 1, buffer), "a.c");
	assert_int_equal(t.rows.data[1].self, 3);
	top_fini(&t);
	category_cache_fini(&cats);
}

/* The place of a function is its first line, although code of line 2 is inlined into it. */
static void functions_have_the_place_of_their_first_line(void **state)
{
	struct fixture f;

	(void)state;
	if (!build(&f))
		SKIP_TEST("no compiler or no libdw here");
	for (int is_bare = 0; is_bare < 2; is_bare++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct resolver *r = resolver_new(&d->symbols, &here);
		const struct symbol *s;
		char command[128];
		sym_id sym;
		size_t n;

		(void)snprintf(command, sizeof(command), "%s %s", is_bare ? "strip -g" : "true",
			       f.path);
		assert_int_equal(system(command), 0);
		resolver_map(r, 7, MAPPED, 0x100000, 0, str_of(f.path), NULL);
		sym = *resolver_frames(r, 7, CPUMODE_USER, MAPPED + f.start, 0, &n);
		assert_str(symbols_name(&d->symbols, sym), "work");
		assert_int_equal(symbols_get(&d->symbols, sym)->file.v, 0);
		resolver_set_places(r);
		s = symbols_get(&d->symbols, sym);
		if (is_bare) {
			assert_int_equal(s->file.v, 0);
		} else {
			assert_true(str_ends(strings_get(&d->strings, s->file), STR("a.c")));
			assert_int_equal(s->line, 3);
		}
		/* functions that no sample has are not looked up */
		n = 0;
		VEC_FOREACH (row, &d->symbols.rows)
			n += row->file.v != 0;
		assert_int_equal(n, is_bare ? 0 : 1);
		resolver_free(r);
	}
	drop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_of_a_function_is_a_symbol_of_its_name),
		cmocka_unit_test(code_without_a_file_has_its_place_in_the_function),
		cmocka_unit_test(lines_are_keys_where_something_says_them),
		cmocka_unit_test(functions_have_the_place_of_their_first_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
