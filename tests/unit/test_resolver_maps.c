/* SPDX-License-Identifier: MIT */
/* Maps of processes against one entry per address, and the modules that maps name. */
#include "unit.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/elf_symbols.h"
#include "symbols/resolver/resolver.h"
#include "symbols/resolver/resolver_state.h"

#include <stdio.h>

#define SPACE 40u /* addresses of each process */
#define PIDS  4u

/* The map at an address: file 0 is none; offset is that of the address in the file. */
struct cell {
	uint64_t offset;
	unsigned int file;
	bool is_data;
};

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

static void check_maps(struct dossier *d, struct resolver *r, uint32_t pid,
		       const struct cell *cells)
{
	struct process *p = resolver_process(r, pid);
	uint64_t end = 0;

	/* twice: each look-up begins at the map of the one before */
	for (unsigned int i = 0; i < 2 * SPACE; i++) {
		uint64_t a = i < SPACE ? i : 2 * SPACE - 1 - i;
		const struct map *m = resolver_find_map(p, a);
		char path[16];

		assert_int_equal(m != NULL, cells[a].file != 0);
		if (!m)
			continue;
		(void)snprintf(path, sizeof(path), "/nowhere/%u", cells[a].file);
		assert_str(strings_get(&d->strings, r->modules.data[m->module].path), path);
		assert_int_equal(m->offset + a - m->start, cells[a].offset);
		assert_int_equal(m->is_data, cells[a].is_data);
	}
	for (size_t i = 0; p->set && i < p->set->maps.len; i++) {
		const struct map *m = &p->set->maps.data[i];

		assert_true(m->start >= end && m->end > m->start);
		end = m->end;
	}
}

static void maps_replace_what_they_overlap(void **state)
{
	uint64_t x = 6;

	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct resolver *r = resolver_new(&d->symbols, NULL);
		struct cell cells[PIDS + 1][SPACE];

		memset(cells, 0, sizeof(cells));
		for (int step = 0; step < 30; step++) {
			uint32_t pid = 1 + (uint32_t)next(&x, PIDS);
			uint32_t other = 1 + (uint32_t)next(&x, PIDS);
			uint64_t start = next(&x, SPACE), len = 1 + next(&x, 9);
			unsigned int file = 1 + (unsigned int)next(&x, 3),
				     what = (unsigned int)next(&x, 12);
			uint64_t version = resolver_version(r);
			char path[16];

			(void)snprintf(path, sizeof(path), "/nowhere/%u", file);
			len = start + len > SPACE ? SPACE - start : len;
			if (what == 0) {
				resolver_fork(r, pid, pid, other, other);
				memcpy(cells[pid], cells[other], sizeof(cells[pid]));
				assert_true(resolver_generation(r, pid) ==
					    resolver_generation(r, other));
			} else if (what == 1) {
				resolver_end(r, pid);
				memset(cells[pid], 0, sizeof(cells[pid]));
			} else if (what == 2) {
				resolver_map_data(r, pid, start, 0, 1, str_of(path), NULL);
				assert_int_equal(resolver_version(r), version);
				version--; /* nothing changed */
			} else {
				bool is_data = what < 5;
				uint64_t offset = 100 * file;

				(is_data ? resolver_map_data : resolver_map)(
					r, pid, start, len, offset, str_of(path), NULL);
				for (uint64_t i = 0; i < len; i++)
					cells[pid][start + i] =
						(struct cell){ offset + i, file, is_data };
			}
			assert_true(resolver_version(r) != version);
			for (uint32_t p = 1; p <= PIDS; p++)
				check_maps(d, r, p, cells[p]);
		}
		/* equal maps have equal generations, in whatever order they came */
		for (uint32_t a = 1; a <= PIDS; a++) {
			uint64_t n = 0;

			for (uint32_t b = 1; b <= PIDS; b++) {
				const struct process *p = resolver_process(r, a),
						     *q = resolver_process(r, b);
				bool is_same = (p->set ? p->set->maps.len : 0) ==
					       (q->set ? q->set->maps.len : 0);

				p = resolver_process(r, a);
				for (size_t i = 0; is_same && p->set && i < p->set->maps.len; i++) {
					const struct map *m = &p->set->maps.data[i];
					const struct map *o = &q->set->maps.data[i];

					is_same = m->start == o->start && m->end == o->end &&
						  m->offset == o->offset && m->module == o->module;
				}
				assert_int_equal(is_same, p->generation == q->generation);
				n += is_same;
			}
			assert_true(n >= 1);
		}
		/* the number of maps is that of all sets, each once */
		for (uint32_t a = 1; a <= PIDS; a++)
			resolver_end(r, a);
		assert_int_equal(r->n_maps, 0);
		resolver_free(r);
	}
}

static void a_map_may_reach_the_end_of_the_address_space(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);

	(void)state;
	resolver_map(r, 1, UINT64_MAX - 15, 16, 0, STR("/nowhere/a"), NULL);
	assert_int_equal(resolver_process(r, 1)->set->maps.data[0].end, UINT64_MAX);
	resolver_map(r, 2, 5, 0, 0, STR("/nowhere/a"), NULL);
	assert_int_equal(resolver_process(r, 2)->set->maps.data[0].end, UINT64_MAX);
	resolver_map_data(r, 3, UINT64_MAX - 15, 16, 0, STR("/nowhere/a"), NULL);
	assert_null(resolver_process(r, 3)->set);
	resolver_map_data(r, 3, UINT64_MAX - 15, 15, 0, STR("/nowhere/a"), NULL);
	assert_non_null(resolver_process(r, 3)->set);
	resolver_free(r);
}

static void a_process_has_a_limit_of_maps_half_of_it_for_data(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);

	(void)state;
	for (uint64_t i = 0; i < LIMIT_PROCESS_MAPS + 3; i++) {
		bool is_full = i >= LIMIT_PROCESS_MAPS, is_half = i >= LIMIT_PROCESS_MAPS / 2;
		size_t before = i ? resolver_process(r, 1)->set->maps.len : 0;

		if (i == LIMIT_PROCESS_MAPS / 2 - 1 || is_half)
			resolver_map_data(r, 1, 16 * i + 8, 2, 0, STR("/nowhere/a"), NULL);
		if (i == LIMIT_PROCESS_MAPS / 2 - 1)
			assert_int_equal(resolver_process(r, 1)->set->maps.len, before + 1);
		else if (is_half)
			assert_int_equal(resolver_process(r, 1)->set->maps.len, before);
		before = i ? resolver_process(r, 1)->set->maps.len : 0;
		resolver_map(r, 1, 16 * i, 2, 0, STR("/nowhere/a"), NULL);
		/* the map of data took one place */
		assert_int_equal(resolver_process(r, 1)->set->maps.len,
				 before + (is_full || i == LIMIT_PROCESS_MAPS - 1 ? 0 : 1));
	}
	assert_int_equal(r->lost_maps, 4 + (LIMIT_PROCESS_MAPS - LIMIT_PROCESS_MAPS / 2 + 3));
	resolver_free(r);
}

/* Paths of maps, and the names, kinds and spaces of their modules. */
static void modules_are_named_as_perf_names_them(void **state)
{
	static const struct {
		uint32_t pid;
		const char *path, *name;
		enum module_kind kind;
		enum symbol_space space;
	} rows[] = {
		{ 5, "/usr/lib/libc.so.6", "libc.so.6", MODULE_FILE, SPACE_USER },
		{ 5, "app", "app", MODULE_FILE, SPACE_USER },
		{ 5, "/app", "app", MODULE_FILE, SPACE_USER },
		{ 5, "[vdso]", "[vdso]", MODULE_FILE, SPACE_VDSO },
		{ 5, "[stack]", "[stack]", MODULE_NONE, SPACE_USER },
		{ 5, "//anon", "[JIT] tid 5", MODULE_JIT, SPACE_JIT },
		{ 5, "/dev/zero (deleted)", "[JIT] tid 5", MODULE_JIT, SPACE_JIT },
		{ 6, "/SYSV00000000", "[JIT] tid 6", MODULE_JIT, SPACE_JIT },
		{ 6, "/anon_hugepage", "[JIT] tid 6", MODULE_JIT, SPACE_JIT },
		{ RESOLVER_KERNEL_PID, "[kernel.kallsyms]_text", "[kernel.kallsyms]", MODULE_KERNEL,
		  SPACE_KERNEL },
		{ RESOLVER_KERNEL_PID, "[ext4]", "[ext4]", MODULE_KERNEL, SPACE_KERNEL },
		{ RESOLVER_KERNEL_PID, "/lib/modules/6.1/kernel/nf-nat.ko.xz", "[nf_nat]",
		  MODULE_KERNEL, SPACE_KERNEL },
		{ RESOLVER_KERNEL_PID, "a-b.ko", "[a_b]", MODULE_KERNEL, SPACE_KERNEL },
		{ RESOLVER_KERNEL_PID, "/x/.ko", "[]", MODULE_KERNEL, SPACE_KERNEL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct resolver *r = resolver_new(&d->symbols, NULL);
		const struct module *m;

		resolver_map(r, rows[i].pid, 0x1000, 0x1000, 0, str_of(rows[i].path), NULL);
		assert_int_equal(r->modules.len, 1);
		m = &r->modules.data[0];
		assert_str(strings_get(&d->strings, m->name), rows[i].name);
		assert_int_equal(m->kind, rows[i].kind);
		assert_int_equal(m->space, rows[i].space);
		assert_int_equal(m->pid, rows[i].pid);
		resolver_free(r);
	}
}

static void a_long_name_of_a_kernel_module_is_cut(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);
	char path[100];

	(void)state;
	for (unsigned int n = 76; n < 80; n++) {
		struct str name;

		memset(path, 'x', sizeof(path));
		(void)snprintf(path + n, sizeof(path) - n, ".ko");
		resolver_map(r, RESOLVER_KERNEL_PID, 0x1000, 0x10, 0, str_of(path), NULL);
		name = strings_get(&d->strings, r->modules.data[r->modules.len - 1].name);
		assert_int_equal(name.len, n < 77 ? n + 2 : 79);
		assert_true(str_ends(name, STR("x]")));
	}
	resolver_free(r);
}

/* One path is one module, except for other builds and anonymous memory of other processes. */
static void equal_files_share_a_module(void **state)
{
	static const struct build_id one = { { 1 }, 4 }, two = { { 2 }, 4 };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);

	(void)state;
	resolver_map(r, 1, 0x1000, 0x10, 0, STR("/nowhere/a"), &one);
	resolver_map(r, 2, 0x1000, 0x10, 0, STR("/nowhere/a"), &one);
	resolver_map(r, 2, 0x2000, 0x10, 0, STR("/nowhere/a"), NULL);
	assert_int_equal(r->modules.len, 1);
	resolver_map(r, 2, 0x3000, 0x10, 0, STR("/nowhere/a"), &two);
	assert_int_equal(r->modules.len, 2);
	assert_true(build_id_eq(&r->modules.data[1].build_id, &two));
	resolver_map(r, 1, 0x4000, 0x10, 0, STR("//anon"), NULL);
	resolver_map(r, 1, 0x5000, 0x10, 0, STR("//anon"), NULL);
	assert_int_equal(r->modules.len, 3);
	resolver_map(r, 2, 0x4000, 0x10, 0, STR("//anon"), NULL);
	assert_int_equal(r->modules.len, 4);
	resolver_map(r, RESOLVER_KERNEL_PID, 0x4000, 0x10, 0, STR("/nowhere/a"), NULL);
	assert_int_equal(r->modules.len, 5);
	/* a stated build id is that of the path's modules to come, unless the map has one */
	resolver_build_id(r, STR("/nowhere/b"), &one);
	resolver_map(r, 1, 0x6000, 0x10, 0, STR("/nowhere/b"), NULL);
	assert_true(build_id_eq(&r->modules.data[5].build_id, &one));
	resolver_build_id(r, STR("/nowhere/c"), &one);
	resolver_map(r, 1, 0x6000, 0x10, 0, STR("/nowhere/c"), &two);
	assert_true(build_id_eq(&r->modules.data[6].build_id, &two));
	resolver_map(r, 1, 0x6000, 0x10, 0, STR("/nowhere/d"), NULL);
	assert_int_equal(r->modules.data[7].build_id.len, 0);
	resolver_free(r);
}

static void bpf_programs_have_symbols_of_their_own(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct resolver *r = resolver_new(&d->symbols, NULL);

	(void)state;
	resolver_kernel_symbol(r, 0xf000, 0x100, STR("bpf_prog_1"), true);
	assert_int_equal(r->modules.len, 0);
	resolver_kernel_symbol(r, 0xf000, 0x100, STR("bpf_prog_1"), false);
	resolver_kernel_symbol(r, 0xf800, 0x100, STR("bpf_prog_2"), false);
	assert_str(symbols_name(&d->symbols, resolver_symbol(r, 1, CPUMODE_KERNEL, 0xf000)),
		   "bpf_prog_1");
	assert_str(symbols_name(&d->symbols, resolver_symbol(r, 1, CPUMODE_KERNEL, 0xf8ff)),
		   "bpf_prog_2");
	assert_int_equal(
		symbols_get(&d->symbols, resolver_symbol(r, 1, CPUMODE_KERNEL, 0xf0ff))->space,
		SPACE_BPF);
	resolver_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_replace_what_they_overlap),
		cmocka_unit_test(a_map_may_reach_the_end_of_the_address_space),
		cmocka_unit_test(a_process_has_a_limit_of_maps_half_of_it_for_data),
		cmocka_unit_test(modules_are_named_as_perf_names_them),
		cmocka_unit_test(a_long_name_of_a_kernel_module_is_cut),
		cmocka_unit_test(equal_files_share_a_module),
		cmocka_unit_test(bpf_programs_have_symbols_of_their_own),
	};

	return cmocka_run_group_tests_name("resolver_maps", tests, NULL, NULL);
}
