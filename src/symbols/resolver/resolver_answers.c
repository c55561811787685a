/* SPDX-License-Identifier: MIT */
/*
 * Find the symbol of an address. A look-up first finds the map that contains the address. It thus
 * knows the module and the file offset, which are the key of the cache of results. If a map was
 * removed, a look-up of its addresses does not find a module, and therefore does not find the old
 * results.
 */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/demangle.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

/*
 * The key of a cached result has an address and one of these values, which shows to what the
 * address belongs. For an address in a module, the value is RESOLVER_IN_MODULE plus the index of
 * the module in resolver.modules.
 */
enum resolver_where {
	/* in no map; the key is RESOLVER_NOWHERE plus the CPU mode */
	RESOLVER_NOWHERE = 0,
	RESOLVER_IN_MODULE = 16,
	/*
	 * in the kernel; the key is RESOLVER_IN_KERNEL plus the number of changes of the kernel's
	 * maps (resolver.kernel_state)
	 */
	RESOLVER_IN_KERNEL = 1 << 30,
};

/*
 * Create a symbol whose name is an unresolved address. As in perf ("%-#.*llx"), the address 0 is
 * printed without "0x".
 */
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

static sym_id resolver_entry_symbol(struct resolver *r, struct symtab *t, struct symtab_entry *e,
				    uint64_t start, str_id module, enum symbol_space space)
{
	struct str name;

	if (e->sym.v)
		return e->sym;
	name = symtab_name(t, e);
	if (name.len == 0) /* linkers do not write empty names, so this table is damaged */
		return e->sym = resolver_address(r, start, module, space);
	if (space == SPACE_USER || space == SPACE_JIT)
		name = demangle(&r->scratch, name);
	if (!symtab_may_show(t, name)) {
		arena_clear(&r->scratch);
		return e->sym = resolver_address(r, start, module, space);
	}
	e->sym = symbols_add_at(r->symbols, strings_add(resolver_strings(r), name), module, space,
				start);
	if (space == SPACE_USER && symtab_spins(t, e->start))
		r->symbols->rows.data[e->sym.v].flags |= SYMBOL_SPINS;
	arena_clear(&r->scratch);
	return e->sym;
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

static str_id resolver_unknown(struct resolver *r)
{
	if (!r->unknown.v)
		r->unknown = strings_add(resolver_strings(r), STR("[unknown]"));
	return r->unknown;
}

/*
 * Whether the kernel symbol @k belongs to @m, the module that is mapped at the address of @k. @m
 * NULL: no module is mapped there. Always true for symbols of the kernel itself.
 */
static bool resolver_is_of(struct resolver *r, const struct kernel_symbol *k,
			   const struct module *m)
{
	struct str name = m ? strings_get(resolver_strings(r), m->name) : STR_NONE;

	if (k->is_kernels)
		return true;
	return m && (str_eq(name, STR("[kernel.kallsyms]")) ||
		     (name.len > 2 && str_eq(str_sub(name, 1, name.len - 1), k->module)));
}

/* Symbol of the kernel function at @address; if there is none, a symbol for the address. */
static sym_id resolver_kernel_name(struct resolver *r, uint64_t address)
{
	const struct map *map =
		resolver_find_map(resolver_process(r, RESOLVER_KERNEL_PID), address);
	struct module *m = map ? &r->modules.data[map->module] : NULL;
	struct symtab_entry *e = m ? symtab_find(&m->table, address) : NULL;
	struct kernel_symbol k;
	bool is_kernel; /* @m is the kernel itself and not a kernel module */

	if (e)
		return resolver_entry_symbol(r, &m->table, e, e->start, m->name, m->space);
	/* like perf, also resolve the kernel's init text, although it is not in the recorded map */
	if (resolver_kernel_entry(r, address, &k) && resolver_is_of(r, &k, m)) {
		if (r->options.collected && !k.entry->sym.v)
			resolver_names_note_kernel(r, &k);
		return resolver_entry_symbol(
			r, k.table, k.entry, k.start,
			m ? m->name : strings_add(resolver_strings(r), STR("[kernel.kallsyms]")),
			SPACE_KERNEL);
	}
	if (!m)
		return resolver_address(r, address, resolver_unknown(r), SPACE_KERNEL);
	m->failed_lookups++;
	if (r->options.names)
		resolver_names_why(r, m);
	if (!m->why.msg[0] && r->kernel_error.msg[0])
		m->why = r->kernel_error;
	is_kernel = str_eq(strings_get(resolver_strings(r), m->name), STR("[kernel.kallsyms]"));
	/*
	 * the kernel has symbols, but this kernel module has none. A possible reason is that the
	 * recording is not proven to be from this boot: kernel modules have other addresses in each
	 * boot, so their symbols are not used
	 */
	if (!m->why.msg[0] && !is_kernel)
		m->why = resolver_origin(r, ORIGIN_OF_MACHINE)->why;
	/* like perf, print the file offset for a module, and the address for the kernel */
	return resolver_address(r, is_kernel ? address : address - map->start + map->offset,
				m->name, SPACE_KERNEL);
}

static sym_id resolver_file_name(struct resolver *r, uint32_t module, uint64_t offset)
{
	struct module *m = &r->modules.data[module];
	struct symtab_entry *e;

	if (!m->is_loaded)
		resolver_load(r, m);
	if (m->kind == MODULE_JIT && !m->table.entries.len && resolver_jit_why(r, m->pid))
		m->why = *resolver_jit_why(r, m->pid);
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

	/* the cache has reached its maximum size: remove all results */
	if (old_n >= LIMIT_RESOLVER_ANSWERS) {
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

/*
 * The slot of the hash table with the result for the key (@address, @where), or a free slot for it.
 */
static struct answer *resolver_answer(struct resolver *r, uint64_t address, uint32_t where)
{
	size_t at = (size_t)hash_u64(address, where) & r->answers_mask;

	while (r->answers[at].sym.v &&
	       (r->answers[at].address != address || r->answers[at].where != where))
		at = (at + 1) & r->answers_mask;
	return &r->answers[at];
}

/*
 * Whether the code in @map may be from a JIT compiler and not from a file. @map NULL: the code is
 * in no map.
 */
static bool resolver_may_be_jit(struct resolver *r, const struct map *map)
{
	const struct module *m = map ? &r->modules.data[map->module] : NULL;

	return !m || m->kind != MODULE_FILE ||
	       str_starts(strings_get(resolver_strings(r), m->path), STR("/memfd:"));
}

sym_id resolver_symbol(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address)
{
	uint32_t where = RESOLVER_NOWHERE + (uint32_t)mode;
	const struct map *map = NULL;
	struct process *p;
	struct answer *a;

	if (mode == CPUMODE_KERNEL)
		where = RESOLVER_IN_KERNEL | (r->kernel_state & (RESOLVER_IN_KERNEL - 1));
	else if (mode == CPUMODE_USER) {
		p = resolver_process(r, pid);
		map = resolver_find_map(p, address);
		if (UNLIKELY(p->jit) && resolver_may_be_jit(r, map)) {
			sym_id sym = resolver_jit_symbol(
				r, p, map ? &r->modules.data[map->module] : NULL, address);

			if (sym.v)
				return sym;
		}
	}
	if (map) {
		where = RESOLVER_IN_MODULE + map->module;
		if (r->modules.data[map->module].kind == MODULE_FILE)
			address = address - map->start + map->offset;
	}
	if (UNLIKELY((r->n_answers + 1) * 4 > (r->answers_mask + 1) * 3 || !r->answers))
		resolver_grow_answers(r);
	a = resolver_answer(r, address, where);
	if (LIKELY(a->sym.v))
		return a->sym;
	r->n_answers++;
	*a = (struct answer){ .address = address, .where = where };
	if (where & RESOLVER_IN_KERNEL)
		a->sym = resolver_kernel_name(r, address);
	else if (where >= RESOLVER_IN_MODULE)
		a->sym = resolver_file_name(r, where - RESOLVER_IN_MODULE, address);
	else
		a->sym = resolver_address(r, address, resolver_unknown(r), resolver_space(mode));
	return a->sym;
}
