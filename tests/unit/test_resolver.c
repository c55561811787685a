/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/demangle.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/resolver/resolver.h"
#include "symbols/resolver/resolver_cache.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char kallsyms_text[] = "ffffffff81000000 T _text\n"
				    "ffffffff81000100 T memcpy\n"
				    "ffffffff81000100 T __memcpy\n"
				    "ffffffff81000200 t helper.isra.0\n"
				    "ffffffff81000280 t x\n"
				    "ffffffff81000300 A not_code\n"
				    "ffffffffc0000000 t ext4_read\t[ext4]\n";

static struct str name_at(const struct symtab *t, uint64_t address)
{
	const struct symtab_entry *e = symtab_find(t, address);

	return e ? symtab_name(t, e) : STR_NONE;
}

static void symtab_prefers_what_perf_prefers(void **state)
{
	struct symtab t = { .entries = VEC_INIT };

	(void)state;
	symtab_add(&t, 0x100, 0x10, STR("__weak"), SYMTAB_WEAK);
	symtab_add(&t, 0x100, 0x10, STR("global"), SYMTAB_GLOBAL);
	symtab_add(&t, 0x200, 0x20, STR("local"), SYMTAB_LOCAL);
	symtab_add(&t, 0x200, 0x20, STR("_global"), SYMTAB_GLOBAL);
	symtab_add(&t, 0x300, 0, STR("short"), SYMTAB_LOCAL);
	symtab_add(&t, 0x300, 8, STR("sized"), SYMTAB_LOCAL);
	symtab_finish(&t, false);
	assert_str(name_at(&t, 0x105), "global");
	assert_str(name_at(&t, 0x21f), "_global");
	assert_str(name_at(&t, 0x307), "sized");
	assert_null(symtab_find(&t, 0x110));
	assert_null(symtab_find(&t, 0xff));
	symtab_fini(&t);
}

static void kallsyms_gives_ends_and_modules(void **state)
{
	struct kallsyms k = { .modules = VEC_INIT };

	(void)state;
	kallsyms_add(&k, str_of(kallsyms_text));
	assert_int_equal(kallsyms_finish(&k, NULL), OK);
	assert_int_equal(k.modules.len, 2);
	assert_str(name_at(&k.modules.data[0].table, 0xffffffff81000150), "__memcpy");
	assert_str(name_at(&k.modules.data[0].table, 0xffffffff81000201), "helper.isra.0");
	assert_str(name_at(&k.modules.data[0].table, 0xffffffff81000281), "x");
	assert_str(kallsyms_module_name(&k.modules.data[1]), "ext4");
	kallsyms_fini(&k);
}

static void kallsyms_says_when_addresses_are_hidden(void **state)
{
	struct kallsyms hidden = { .modules = VEC_INIT };
	struct kallsyms other = { .modules = VEC_INIT };
	struct error err = { "" };

	(void)state;
	kallsyms_add(&hidden, STR("0000000000000000 T _text\n"));
	assert_int_equal(kallsyms_finish(&hidden, &err), ERR_PERM);
	kallsyms_add(&other, STR("hello\n"));
	assert_int_equal(kallsyms_finish(&other, &err), ERR_FORMAT);
	kallsyms_fini(&hidden);
	kallsyms_fini(&other);
}

static struct str name_of(struct dossier *d, struct resolver *r, uint32_t pid, uint64_t address)
{
	return symbols_name(&d->symbols, resolver_symbol(r, pid, CPUMODE_USER, address));
}

static void resolver_follows_maps_and_forks(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);

	(void)state;
	resolver_comm(r, 7, 7, STR("server"));
	resolver_map(r, 7, 0x1000, 0x1000, 0x400, STR("/nowhere/a.so"), NULL);
	/* without symbols, the name is the file offset in the module */
	assert_str(name_of(d, r, 7, 0x1010), "0x0000000000000410");
	assert_str(symbols_module(&d->symbols, resolver_symbol(r, 7, CPUMODE_USER, 0x1010)),
		   "a.so");
	/* a later map splits the first in two */
	resolver_map(r, 7, 0x1400, 0x100, 0, STR("/nowhere/b.so"), NULL);
	assert_str(name_of(d, r, 7, 0x1410), "0x0000000000000010");
	assert_str(name_of(d, r, 7, 0x1500), "0x0000000000000900");
	assert_str(name_of(d, r, 7, 0x1510), "0x0000000000000910");
	/* a child has its parent's maps and name; its later maps are its own */
	resolver_fork(r, 8, 8, 7, 7);
	assert_str(strings_get(&d->strings, resolver_thread_comm(r, 8, 8)), "server");
	resolver_map(r, 8, 0x1400, 0x100, 0x9000, STR("/nowhere/c.so"), NULL);
	assert_str(name_of(d, r, 8, 0x1410), "0x0000000000009010");
	assert_str(name_of(d, r, 7, 0x1410), "0x0000000000000010");
	/* and the child does not get the parent's later maps */
	resolver_fork(r, 10, 10, 7, 7);
	resolver_map(r, 7, 0x1400, 0x100, 0x7000, STR("/nowhere/d.so"), NULL);
	assert_str(name_of(d, r, 10, 0x1410), "0x0000000000000010");
	assert_str(name_of(d, r, 7, 0x1410), "0x0000000000007010");
	/* outside every map: the address itself */
	assert_str(name_of(d, r, 7, 0x6c), "0x000000000000006c");
	assert_str(strings_get(&d->strings, resolver_thread_comm(r, 9, 9)), ":9");
	resolver_free(r);
}

static void maps_of_all_processes_are_limited_and_the_loss_is_reported(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);
	const uint32_t n = 60000;
	const struct resolver_missing *missing;
	size_t n_missing;

	(void)state;
	for (uint32_t i = 0; i < n; i++)
		resolver_map(r, 1, 0x10000 * (uint64_t)(i + 1), 0x1000, 0, STR("/nowhere/a.so"),
			     NULL);
	/* children that change nothing share the maps */
	for (uint32_t i = 2; i < 1000; i++)
		resolver_fork(r, i, i, 1, 1);
	(void)resolver_missing(r, &n_missing);
	assert_int_equal(n_missing, 0);
	for (uint32_t i = 2; i < LIMIT_MAPS / n + 10; i++)
		resolver_map(r, i, 0x100, 0x10, 0x5000, STR("/nowhere/b.so"), NULL);
	assert_str(name_of(d, r, 2, 0x108), "0x0000000000005008");
	assert_str(name_of(d, r, LIMIT_MAPS / n + 9, 0x108), "0x0000000000000108");
	missing = resolver_missing(r, &n_missing);
	/* the file with the most failed look-ups is first */
	assert_true(n_missing > 0);
	assert_str(missing[0].path, "maps of processes");
	assert_in_range(missing[0].lookups, 8, 12);
	resolver_free(r);
}

/* Resolve addresses of this program with a new resolver; @ret_names receives the names. */
static void names_in_this_program(struct resolver_cache *cache, struct out *ret_names)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct resolver_options options = { .is_here = true, .loaded = cache };
	struct resolver *r = resolver_new(&d->symbols, &options);
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path));

	assert_true(n > 0);
	/* names get other ids than in the previous round */
	(void)strings_add(&d->strings, (struct str){ path, ret_names->len ? 3 : 1 });
	resolver_map(r, 7, 0, UINT64_C(1) << 30, 0, (struct str){ path, (size_t)n }, NULL);
	ret_names->len = 0;
	for (uint64_t at = 0x1000; at < 0x400000; at += 64) /* sanitizers prepend much code */
		out_printf(ret_names, STR_FMT " ", STR_ARG(name_of(d, r, 7, at)));
	resolver_free(r);
}

static void two_builds_at_one_path_are_two_modules(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);
	const struct build_id ids[] = { { .len = 2, .bytes = { 1, 2 } },
					{ .len = 2, .bytes = { 3, 4 } } };
	const struct resolver_missing *missing;
	size_t n;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		resolver_map(r, 7 + i, 0x1000, 0x1000, 0, STR("/nowhere/libc.so"), &ids[i % 2]);
		(void)name_of(d, r, 7 + i, 0x1010 + i);
	}
	missing = resolver_missing(r, &n);
	assert_int_equal(n, 2);
	assert_str(missing[0].path, "/nowhere/libc.so");
	assert_int_equal(missing[0].lookups, 2);
	assert_int_equal(missing[1].lookups, 2);
	resolver_free(r);
}

static void tables_that_are_kept_give_the_same_names(void **state)
{
	struct resolver_cache *cache = resolver_cache_new();
	struct out first = { .fd = -1 };
	struct out again = { .fd = -1 };

	(void)state;
	names_in_this_program(cache, &first);
	assert_non_null(memmem(first.data, first.len, "main ", 5));
	out_str(&again, STR("x"));
	names_in_this_program(cache, &again);
	assert_true(str_eq(out_view(&first), out_view(&again)));
	out_fini(&first);
	out_fini(&again);
	resolver_cache_free(cache);
}

/* A folder that holds the files of the recorded machine. */
struct root {
	char path[64];
	char app[80]; /* file of this program; may be missing */
	char jit[80]; /* /tmp/perf-7.map */
	uint64_t main_at;
};

static void write_app(struct root *root)
{
	CLEANUP(freep) char *program = NULL;
	size_t len = 0;
	FILE *f = fopen("/proc/self/exe", "re");

	assert_non_null(f);
	program = xmalloc(64u << 20);
	len = fread(program, 1, 64u << 20, f);
	(void)fclose(f);
	f = fopen(root->app, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(program, 1, len, f), len);
	(void)fclose(f);
}

static void write_jit(struct root *root)
{
	FILE *f = fopen(root->jit, "we");

	assert_non_null(f);
	(void)fputs("1000 100 jitted\n", f);
	(void)fclose(f);
}

/* One round of resolving: whether main() of this program, or code of perf-PID.map, has its name. */
static bool is_named_now(struct resolver_cache *cache, struct root *root, bool is_jit)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	const struct resolver_options options = { .root = root->path, .loaded = cache };
	struct resolver *r = resolver_new(&d->symbols, &options);
	bool ret;

	resolver_map(r, 7, 0, UINT64_C(1) << 30, 0, is_jit ? STR("//anon") : STR("/app"), NULL);
	if (!is_jit && root->main_at == 0) {
		for (root->main_at = 0x1000; root->main_at < 0x400000; root->main_at += 16) {
			if (str_eq(name_of(d, r, 7, root->main_at), STR("main")))
				break;
		}
	}
	ret = is_jit ? str_eq(name_of(d, r, 7, 0x1010), STR("jitted"))
		     : str_eq(name_of(d, r, 7, root->main_at), STR("main"));
	resolver_free(r);
	return ret;
}

/* Number of rounds until a changed file is read again: until then the old table is in use. */
static unsigned int rounds_until(struct resolver_cache *cache, struct root *root, bool is_jit,
				 bool is_named)
{
	unsigned int n = 0;

	while (n < 1000 && is_named_now(cache, root, is_jit) != is_named) {
		resolver_cache_age(cache);
		n++;
	}
	return n;
}

static void tables_are_read_again_after_rounds_by_how_fast_they_change(void **state)
{
	struct resolver_cache *cache = resolver_cache_new();
	struct root root = { .path = "/tmp/assay-root-XXXXXX" };
	char tmp[80];

	(void)state;
	assert_non_null(mkdtemp(root.path));
	(void)snprintf(tmp, sizeof(tmp), "%s/tmp", root.path);
	(void)snprintf(root.app, sizeof(root.app), "%s/app", root.path);
	(void)snprintf(root.jit, sizeof(root.jit), "%s/tmp/perf-7.map", root.path);
	assert_int_equal(mkdir(tmp, 0700), 0);
	/* a perf-PID.map grows */
	write_jit(&root);
	assert_true(is_named_now(cache, &root, true));
	assert_int_equal(unlink(root.jit), 0);
	assert_int_equal(rounds_until(cache, &root, true, false), 5);
	/* a program may be replaced by its next build */
	write_app(&root);
	assert_true(is_named_now(cache, &root, false));
	assert_int_equal(unlink(root.app), 0);
	assert_int_equal(rounds_until(cache, &root, false, false), 129);
	/* a missing program may be installed */
	write_app(&root);
	assert_int_equal(rounds_until(cache, &root, false, true), 17);
	/* a table that is not used is kept for 16 rounds, and dropped after 17 */
	assert_int_equal(unlink(root.app), 0);
	for (unsigned int i = 0; i < 16; i++)
		resolver_cache_age(cache);
	assert_true(is_named_now(cache, &root, false));
	for (unsigned int i = 0; i < 17; i++)
		resolver_cache_age(cache);
	assert_false(is_named_now(cache, &root, false));
	assert_int_equal(rmdir(tmp), 0);
	assert_int_equal(rmdir(root.path), 0);
	resolver_cache_free(cache);
}

static void demangle_shows_names_as_perf_does(void **state)
{
	struct arena a = { NULL, NULL, 0, 0 };

	(void)state;
	assert_str(demangle(&a, STR("main")), "main");
	assert_str(demangle(&a, STR("_Znot a name")), "_Znot a name");
#if HAVE_LIBIBERTY
	assert_str(demangle(&a, STR("_ZNK2ns3BoxIiE3getEiRKSs")), "ns::Box<int>::get");
	assert_str(demangle(&a, STR("_ZN4core3fmt5write17h0123456789abcdefE")), "core::fmt::write");
#endif
	arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symtab_prefers_what_perf_prefers),
		cmocka_unit_test(kallsyms_gives_ends_and_modules),
		cmocka_unit_test(kallsyms_says_when_addresses_are_hidden),
		cmocka_unit_test(resolver_follows_maps_and_forks),
		cmocka_unit_test(maps_of_all_processes_are_limited_and_the_loss_is_reported),
		cmocka_unit_test(two_builds_at_one_path_are_two_modules),
		cmocka_unit_test(tables_that_are_kept_give_the_same_names),
		cmocka_unit_test(tables_are_read_again_after_rounds_by_how_fast_they_change),
		cmocka_unit_test(demangle_shows_names_as_perf_does),
	};

	return cmocka_run_group_tests_name("resolver", tests, NULL, NULL);
}
