/* SPDX-License-Identifier: MIT */
/* Names of addresses in the kernel, its modules, and code of a JIT compiler, from written tables.
 */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "symbols/resolver/resolver.h"
#include "symbols/resolver/resolver_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	(void)fputs(text, f);
	(void)fclose(f);
}

struct answer_row {
	uint64_t address;
	const char *name, *module; /* name NULL: the address itself */
};

static void check(struct dossier *d, struct resolver *r, uint32_t pid, enum cpumode mode,
		  const struct answer_row *row)
{
	char number[32];

	/* twice: the second answer is a kept one */
	for (int i = 0; i < 2; i++) {
		sym_id sym = resolver_symbol(r, pid, mode, row->address);

		(void)snprintf(number, sizeof(number), "0x%016llx",
			       (unsigned long long)row->address);
		assert_str(symbols_name(&d->symbols, sym), row->name ? row->name : number);
		assert_str(symbols_module(&d->symbols, sym), row->module);
		assert_int_equal((symbols_get(&d->symbols, sym)->flags & SYMBOL_ADDRESS) != 0,
				 row->name == NULL || str_starts(str_of(row->name), STR("0x")));
	}
}

#define TABLE                                     \
	"ffffffff81000000 T _text\n"              \
	"ffffffff81000100 T do_work\n"            \
	"ffffffff81000200 t helper\n"             \
	"ffffffff81002000 T _etext\n"             \
	"ffffffff82000000 D data_here\n"          \
	"ffffffff83000000 T _sinittext\n"         \
	"ffffffff83000100 t start_it\n"           \
	"ffffffff83001000 T _einittext\n"         \
	"ffffffffc0001000 t ext4_read\t[ext4]\n"  \
	"ffffffffc0001800 t ext4_write\t[ext4]\n" \
	"ffffffffc0009000 t nf_hook\t[nf_tables]\n"

#define KERNEL "[kernel.kallsyms]"

static void kernel_addresses_have_the_names_of_their_table(void **state)
{
	static const struct answer_row rows[] = {
		{ 0xffffffff81000000, "_text", KERNEL },
		{ 0xffffffff810000ff, "_text", KERNEL },
		{ 0xffffffff81000100, "do_work", KERNEL },
		{ 0xffffffff810001ff, "do_work", KERNEL },
		{ 0xffffffff81000200, "helper", KERNEL },
		{ 0xffffffff81001fff, "helper", KERNEL },
		{ 0xffffffff83000100, "start_it", KERNEL },
		{ 0xffffffffc0001000, "ext4_read", "[ext4]" },
		{ 0xffffffffc00017ff, "ext4_read", "[ext4]" },
		{ 0xffffffffc0001800, "ext4_write", "[ext4]" },
		/* an address of a module in the map of another one is a file offset there */
		{ 0xffffffffc0009000, "0x0000000000000040", "[other]" },
		{ 0xffffffff80ffffff, NULL, "[unknown]" },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	char path[] = "/tmp/assay-kallsyms-XXXXXX";
	struct resolver_options options = { .kallsyms = path };
	int fd = mkstemp(path);
	struct resolver *r;
	sym_id data, work;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	write_text(path, TABLE);
	r = resolver_new(&d->symbols, &options);
	resolver_map(r, RESOLVER_KERNEL_PID, 0xffffffff81000000, 0x2000, 0xffffffff81000000,
		     STR("[kernel.kallsyms]_text"), NULL);
	resolver_map(r, RESOLVER_KERNEL_PID, 0xffffffffc0001000, 0x1000, 0,
		     STR("/lib/modules/6.1/kernel/ext4.ko"), NULL);
	resolver_map(r, RESOLVER_KERNEL_PID, 0xffffffffc0008fc0, 0x1000, 0, STR("/x/other.ko"),
		     NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(d, r, 1, CPUMODE_KERNEL, &rows[i]);
	data = resolver_symbol(r, 1, CPUMODE_KERNEL, 0xffffffff82000000);
	work = resolver_symbol(r, 1, CPUMODE_KERNEL, 0xffffffff81000100);
	assert_str(symbols_name(&d->symbols, data), "data_here");
	assert_true(resolver_is_data(r, data));
	assert_false(resolver_is_data(r, work));
	assert_false(
		resolver_is_data(r, resolver_symbol(r, 1, CPUMODE_KERNEL, 0xffffffff83000100)));
	assert_false(resolver_is_data(r, resolver_symbol(r, 1, CPUMODE_KERNEL, 5)));
	assert_str(resolver_kernel_missing(r), "");
	resolver_free(r);
	/* names of the kernel are refused on demand */
	options.kernel_refused = "not wanted";
	r = resolver_new(&d->symbols, &options);
	check(d, r, 1, CPUMODE_KERNEL,
	      &(struct answer_row){ 0xffffffff81000100, NULL, "[unknown]" });
	assert_str(resolver_kernel_missing(r), "not wanted");
	resolver_free(r);
	(void)unlink(path);
}

/* The kernel was at another address during the recording. */
static void a_kernel_that_moved_is_named_by_its_distance(void **state)
{
	static const struct answer_row rows[] = {
		{ 0xffffffffa1000100, "do_work", KERNEL },
		{ 0xffffffffa10001ff, "do_work", KERNEL },
		{ 0xffffffffa1000200, "helper", KERNEL },
		{ 0xffffffff81000100, NULL, "[unknown]" },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	char path[] = "/tmp/assay-kallsyms-XXXXXX";
	struct resolver_options options = { .kallsyms = path };
	int fd = mkstemp(path);
	struct resolver *r;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	write_text(path, TABLE);
	r = resolver_new(&d->symbols, &options);
	resolver_map(r, RESOLVER_KERNEL_PID, 0xffffffffa1000000, 0x2000, 0xffffffffa1000000,
		     STR("[kernel.kallsyms]_text"), NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(d, r, 1, CPUMODE_KERNEL, &rows[i]);
	resolver_free(r);
	(void)unlink(path);
}

/* Lines of perf-PID.map: start and size in hexadecimal, and the name, which may have blanks. */
static void code_of_a_jit_has_the_names_of_its_map(void **state)
{
	static const struct answer_row rows[] = {
		{ 0x1000, "first", "[JIT] tid 7" },
		{ 0x10ff, "first", "[JIT] tid 7" },
		{ 0x1100, NULL, "[JIT] tid 7" },
		{ 0x2000, "second part", "[JIT] tid 7" },
		{ 0x2fff, "second part", "[JIT] tid 7" },
		{ 0x3000, NULL, "[JIT] tid 7" },
		{ 0x4000, NULL, "[JIT] tid 7" },
		{ 0x5000, NULL, "[JIT] tid 7" },
		{ 0x6000, HAVE_LIBIBERTY ? "A::f" : "_ZN1A1fEv", "[JIT] tid 7" },
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	char root[] = "/tmp/assay-root-XXXXXX", folder[64], path[80];
	struct resolver_options options = { .root = root };
	struct resolver *r;

	(void)state;
	assert_non_null(mkdtemp(root));
	(void)snprintf(folder, sizeof(folder), "%s/tmp", root);
	(void)snprintf(path, sizeof(path), "%s/tmp/perf-7.map", root);
	assert_int_equal(mkdir(folder, 0700), 0);
	write_text(path, "1000 100 first\n"
			 "2000 1000 second part\n"
			 "3000 100\n"
			 "3000 100 \n"
			 "4000\n"
			 "x 100 wrong\n"
			 "5000 y wrong\n"
			 "6000 10 _ZN1A1fEv\n");
	r = resolver_new(&d->symbols, &options);
	resolver_map(r, 7, 0x1000, 0x10000, 0, STR("//anon"), NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(d, r, 7, CPUMODE_USER, &rows[i]);
	/* another process has a map of its own, which is missing */
	resolver_map(r, 8, 0x1000, 0x10000, 0, STR("//anon"), NULL);
	check(d, r, 8, CPUMODE_USER, &(struct answer_row){ 0x1000, NULL, "[JIT] tid 8" });
	resolver_free(r);
	(void)unlink(path);
	(void)rmdir(folder);
	(void)rmdir(root);
}

/* Addresses outside of all maps, by mode. */
static void unmapped_addresses_have_the_space_of_their_mode(void **state)
{
	static const enum symbol_space spaces[] = {
		[CPUMODE_UNKNOWN] = SPACE_UNKNOWN,
		[CPUMODE_USER] = SPACE_USER,
		[CPUMODE_HYPERVISOR] = SPACE_HYPERVISOR,
		[CPUMODE_GUEST_KERNEL] = SPACE_GUEST_KERNEL,
		[CPUMODE_GUEST_USER] = SPACE_GUEST_USER,
		[6] = SPACE_UNKNOWN,
		[7] = SPACE_UNKNOWN,
	};
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);

	(void)state;
	for (unsigned int mode = 0; mode < ARRAY_LEN(spaces); mode++) {
		sym_id sym;

		if (mode == CPUMODE_KERNEL)
			continue;
		sym = resolver_symbol(r, 3, (enum cpumode)mode, 0x1234);
		assert_int_equal(symbols_get(&d->symbols, sym)->space, spaces[mode]);
		assert_str(symbols_name(&d->symbols, sym), "0x0000000000001234");
		sym = resolver_symbol(r, 3, (enum cpumode)mode, 0);
		assert_str(symbols_name(&d->symbols, sym), "0000000000000000");
	}
	resolver_free(r);
}

/* More answers than the table has room for at first: each stays the same symbol. */
static void kept_answers_survive_a_larger_table(void **state)
{
	enum { N = 5000 };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);
	static sym_id first[N];

	(void)state;
	resolver_map(r, 1, 0x100000, 0x100000, 0x5000, STR("/nowhere/a"), NULL);
	for (uint32_t i = 0; i < N; i++)
		first[i] = resolver_symbol(r, 1, i % 2 ? CPUMODE_USER : CPUMODE_UNKNOWN,
					   0x100000 + 64 * (uint64_t)i);
	assert_int_equal(r->n_answers, N);
	/* filled to three quarters at most */
	assert_int_equal(r->answers_mask + 1, 8192);
	for (uint32_t i = 0; i < N; i++) {
		char number[32];

		assert_int_equal(resolver_symbol(r, 1, i % 2 ? CPUMODE_USER : CPUMODE_UNKNOWN,
						 0x100000 + 64 * (uint64_t)i)
					 .v,
				 first[i].v);
		(void)snprintf(number, sizeof(number), "0x%016x",
			       (i % 2 ? 0x5000 : 0x100000) + 64 * i);
		assert_str(symbols_name(&d->symbols, first[i]), number);
	}
	assert_int_equal(r->n_answers, N);
	resolver_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_addresses_have_the_names_of_their_table),
		cmocka_unit_test(a_kernel_that_moved_is_named_by_its_distance),
		cmocka_unit_test(code_of_a_jit_has_the_names_of_its_map),
		cmocka_unit_test(unmapped_addresses_have_the_space_of_their_mode),
		cmocka_unit_test(kept_answers_survive_a_larger_table),
	};

	return cmocka_run_group_tests_name("resolver_symbols", tests, NULL, NULL);
}
