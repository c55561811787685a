/* SPDX-License-Identifier: MIT */
/*
 * The answer for an address is cached under (generation, address): a process that
 * maps something gets a new generation, and old answers die with the old one.
 */
#include "symbols/resolver_state.h"

#include "base/limits.h"
#include "symbols/demangle.h"

#include <stdio.h>

struct resolver *resolver_new(struct symbols *symbols, const struct resolver_options *options)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	r->symbols = symbols;
	if (options)
		r->options = *options;
	r->version = 1;
	r->last_process = INDEX_NONE;
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	resolver_cache_give(r);
	VEC_FOREACH (m, &r->modules) {
		symtab_fini(&m->table);
		cfi_free(m->cfi);
	}
	resolver_lines_free(r);
	resolver_places_free(r);
	VEC_FOREACH (p, &r->processes)
		VEC_FREE(&p->maps);
	VEC_FREE(&r->modules);
	VEC_FREE(&r->processes);
	VEC_FREE(&r->threads);
	VEC_FREE(&r->known_ids);
	if (r->answers)
		free_table(r->answers, (r->answers_mask + 1) * sizeof(*r->answers));
	VEC_FREE(&r->missing);
	idmap_fini(&r->modules_map);
	idmap_fini(&r->processes_map);
	idmap_fini(&r->threads_map);
	for (unsigned int i = 0; i < KERNEL_TABLES; i++)
		kallsyms_fini(&r->kernel_tables[i].kallsyms);
	arena_fini(&r->scratch);
	free(r);
}

static struct thread *resolver_thread(struct resolver *r, uint32_t tid)
{
	struct idmap_probe p = idmap_first(&r->threads_map, hash_u64(tid, 2));

	while (idmap_next(&r->threads_map, &p)) {
		if (r->threads.data[p.id].tid == tid)
			return &r->threads.data[p.id];
	}
	idmap_insert(&r->threads_map, &p, (uint32_t)r->threads.len);
	*VEC_PUSH(&r->threads) = (struct thread){ .tid = tid };
	return &r->threads.data[r->threads.len - 1];
}

void resolver_comm(struct resolver *r, uint32_t pid, uint32_t tid, struct str comm)
{
	(void)pid;
	r->version++;
	resolver_thread(r, tid)->comm = strings_add(resolver_strings(r), comm);
}

void resolver_fork(struct resolver *r, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		   uint32_t parent_tid)
{
	str_id comm = resolver_thread(r, parent_tid)->comm;
	uint32_t parent = resolver_process_row(r, parent_pid);
	struct process *child;

	r->version++;
	resolver_thread(r, tid)->comm = comm;
	if (pid == parent_pid)
		return;
	child = resolver_process(r, pid);
	child->generation = r->processes.data[parent].generation;
	child->code = r->processes.data[parent].code;
	child->maps.len = 0;
	VEC_APPEND(&child->maps, r->processes.data[parent].maps.data,
		   r->processes.data[parent].maps.len);
}

uint64_t resolver_version(const struct resolver *r)
{
	return r->version;
}

str_id resolver_thread_comm(struct resolver *r, uint32_t pid, uint32_t tid)
{
	struct thread *t = resolver_thread(r, tid);

	if (t->comm.v == 0 && pid == 0) {
		t->comm = strings_add(resolver_strings(r), STR("swapper"));
	} else if (t->comm.v == 0) {
		char name[16];

		(void)snprintf(name, sizeof(name), ":%d", (int)tid); /* as perf does: -1 too */
		t->comm = strings_add(resolver_strings(r), str_of(name));
	}
	return t->comm;
}

static sym_id resolver_entry_symbol(struct resolver *r, const struct symtab *t,
				    struct symtab_entry *e, uint64_t start, str_id module,
				    enum symbol_space space)
{
	struct str name;

	if (e->sym.v)
		return e->sym;
	name = symtab_name(t, e);
	if (space == SPACE_USER || space == SPACE_JIT)
		name = demangle(&r->scratch, name);
	e->sym = symbols_add_at(r->symbols, strings_add(resolver_strings(r), name), module, space,
				start);
	arena_clear(&r->scratch);
	return e->sym;
}

/* perf: "%-#.*llx", which prints a bare zero without 0x */
static sym_id resolver_address(struct resolver *r, uint64_t address, str_id module,
			       enum symbol_space space)
{
	if (!address)
		return symbols_add_text(r->symbols, STR("0000000000000000"),
					strings_get(resolver_strings(r), module), space,
					SYMBOL_ADDRESS);
	return symbols_add(r->symbols, strings_add_number(resolver_strings(r), address), module,
			   space);
}

static enum symbol_space resolver_space(enum cpumode mode)
{
	static const enum symbol_space spaces[] = {
		[CPUMODE_UNKNOWN] = SPACE_UNKNOWN,
		[CPUMODE_KERNEL] = SPACE_KERNEL,
		[CPUMODE_USER] = SPACE_USER,
		[CPUMODE_HYPERVISOR] = SPACE_HYPERVISOR,
		[CPUMODE_GUEST_KERNEL] = SPACE_GUEST_KERNEL,
		[CPUMODE_GUEST_USER] = SPACE_GUEST_USER,
	};

	return (unsigned int)mode < ARRAY_LEN(spaces) ? spaces[mode] : SPACE_UNKNOWN;
}

static sym_id resolver_kernel_symbol_at(struct resolver *r, uint64_t address)
{
	const struct map *map =
		resolver_find_map(resolver_process(r, RESOLVER_KERNEL_PID), address);
	struct module *m = map ? &r->modules.data[map->module] : NULL;
	struct symtab_entry *e = m ? symtab_find(&m->table, address) : NULL;
	struct kernel_symbol k;

	if (e)
		return resolver_entry_symbol(r, &m->table, e, e->start, m->name, m->space);
	/* the recorded map ends before the kernel's init text, which perf names all the same */
	if (resolver_kernel_entry(r, address, &k) && (m || k.is_kernels))
		return resolver_entry_symbol(
			r, k.table, k.entry, k.start,
			m ? m->name : strings_add(resolver_strings(r), STR("[kernel.kallsyms]")),
			SPACE_KERNEL);
	if (!m)
		return resolver_address(r, address,
					strings_add(resolver_strings(r), STR("[unknown]")),
					SPACE_KERNEL);
	m->failed_lookups++;
	if (!m->why.msg[0] && r->kernel_error.msg[0])
		m->why = r->kernel_error;
	return resolver_address(r, address, m->name, SPACE_KERNEL);
}

static sym_id resolver_file_symbol(struct resolver *r, uint32_t module, uint64_t offset)
{
	struct module *m = &r->modules.data[module];
	struct symtab_entry *e;

	if (!m->is_loaded)
		resolver_load(r, m);
	e = symtab_find(&m->table, offset);
	if (e)
		return resolver_entry_symbol(r, &m->table, e, e->start, m->name, m->space);
	m->failed_lookups++;
	return resolver_address(r, offset, m->name, m->space);
}

static void resolver_grow_answers(struct resolver *r)
{
	struct answer *old = r->answers;
	size_t old_n = old ? r->answers_mask + 1 : 0;
	size_t n = old ? old_n * 2 : 1024;

	if (old_n >= LIMIT_RESOLVER_ANSWERS) { /* forget all */
		memset(old, 0, old_n * sizeof(*old));
		r->n_answers = 0;
		return;
	}
	r->answers = xcalloc_table(n * sizeof(*r->answers));
	r->answers_mask = n - 1;
	for (size_t i = 0; i < old_n; i++) {
		size_t at = (size_t)hash_u64(old[i].address, old[i].where) & r->answers_mask;

		if (!old[i].sym.v)
			continue;
		while (r->answers[at].sym.v)
			at = (at + 1) & r->answers_mask;
		r->answers[at] = old[i];
	}
	if (old)
		free_table(old, old_n * sizeof(*old));
}

/* What an address is of: a row of modules from RESOLVER_IN_MODULE on. */
enum resolver_where {
	RESOLVER_NOWHERE = 0, /* and the mode */
	RESOLVER_IN_MODULE = 16,
	RESOLVER_IN_KERNEL = 1 << 30, /* and the state of its maps */
};

void resolver_locate(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
		     struct resolver_key *ret)
{
	uint32_t where = RESOLVER_NOWHERE + (uint32_t)mode;
	const struct map *map = NULL;

	if (mode == CPUMODE_KERNEL)
		where = RESOLVER_IN_KERNEL | (r->kernel_state & (RESOLVER_IN_KERNEL - 1));
	else if (mode == CPUMODE_USER)
		map = resolver_find_map(resolver_process(r, pid), address);
	if (map) {
		where = RESOLVER_IN_MODULE + map->module;
		if (r->modules.data[map->module].kind == MODULE_FILE)
			address = address - map->start + map->offset;
	}
	*ret = (struct resolver_key){ address, where, (uint32_t)mode };
	if (r->answers)
		__builtin_prefetch(&r->answers[hash_u64(address, where) & r->answers_mask]);
}

sym_id resolver_symbol_at(struct resolver *r, const struct resolver_key *place)
{
	uint64_t address = place->address;
	uint32_t where = place->where;
	size_t at;
	sym_id sym;

	if ((r->n_answers + 1) * 4 > (r->answers_mask + 1) * 3 || !r->answers)
		resolver_grow_answers(r);
	for (at = (size_t)hash_u64(address, where) & r->answers_mask; r->answers[at].sym.v;
	     at = (at + 1) & r->answers_mask) {
		const struct answer *a = &r->answers[at];

		if (a->address == address && a->where == where)
			return a->sym;
	}
	if (where & RESOLVER_IN_KERNEL)
		sym = resolver_kernel_symbol_at(r, address);
	else if (where >= RESOLVER_IN_MODULE)
		sym = resolver_file_symbol(r, where - RESOLVER_IN_MODULE, address);
	else
		sym = resolver_address(r, address,
				       strings_add(resolver_strings(r), STR("[unknown]")),
				       resolver_space((enum cpumode)place->mode));
	r->answers[at] = (struct answer){ address, where, sym };
	r->n_answers++;
	return sym;
}

sym_id resolver_symbol(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address)
{
	struct resolver_key place;

	resolver_locate(r, pid, mode, address, &place);
	return resolver_symbol_at(r, &place);
}

size_t resolver_unread(const struct resolver *r)
{
	size_t n = 0;

	VEC_FOREACH (m, &r->modules)
		n += m->is_unread;
	for (unsigned int i = 0; i < KERNEL_TABLES; i++)
		n += r->kernel_tables[i].is_unread;
	return n;
}

static int resolver_compare_missing(const void *a, const void *b)
{
	const struct resolver_missing *x = a;
	const struct resolver_missing *y = b;

	return x->lookups < y->lookups ? 1 : x->lookups > y->lookups ? -1 : 0;
}

const struct resolver_missing *resolver_missing(struct resolver *r, size_t *ret_n)
{
	r->missing.len = 0;
	VEC_FOREACH (m, &r->modules) {
		if (m->failed_lookups && m->kind != MODULE_NONE && m->table.entries.len == 0)
			*VEC_PUSH(&r->missing) =
				(struct resolver_missing){ strings_get(resolver_strings(r),
								       m->path),
							   str_of(m->why.msg), m->failed_lookups };
	}
	if (r->missing.len)
		qsort(r->missing.data, r->missing.len, sizeof(*r->missing.data),
		      resolver_compare_missing);
	*ret_n = r->missing.len;
	return r->missing.data;
}
