/* SPDX-License-Identifier: MIT */
#include "symbols/resolver_state.h"

#include "symbols/kallsyms_index.h"
#include "symbols/kernel_files.h"
#include "symbols/module_files.h"

struct kernel_files resolver_kernel_files(const struct resolver *r)
{
	struct kernel_files f = {
		.kallsyms = r->options.kallsyms,
		.vmlinux = r->options.vmlinux,
		.root = r->options.root,
		.cache = r->options.cache,
		.release = str_of(r->options.release),
	};

	VEC_FOREACH (k, &r->known_ids) {
		if (str_starts(strings_get(r->symbols->strings, k->path), STR("[kernel.kallsyms]")))
			f.id = k->id;
	}
	return f;
}

static void resolver_load_kernel(struct resolver *r, enum kernel_table_kind kind)
{
	struct kernel_table *t = &r->kernel_tables[kind];
	struct kernel_files f = resolver_kernel_files(r);
	const struct symtab *own;
	int status;

	t->is_tried = true;
	if (kind == KERNEL_OWN) {
		t->is_there = kernel_files_own(&f, &t->kallsyms);
	} else {
		status = kernel_files_load(&f, &t->kallsyms, &r->kernel_error);
		t->is_there = status == OK;
		t->is_unread = status == ERR_IO;
	}
	if (!t->is_there || !r->reference_address)
		return;
	if (t->kallsyms.index) {
		uint64_t text = kallsyms_index_text(t->kallsyms.index);

		t->shift = text ? r->reference_address - text : 0;
		return;
	}
	own = &t->kallsyms.modules.data[0].table;
	VEC_FOREACH (e, &own->entries) {
		if (str_eq(symtab_name(own, e), STR("_text")))
			t->shift = r->reference_address - e->start;
	}
}

static void resolver_load_jit(struct module *m, struct str path)
{
	CLEANUP(freep) char *text = NULL;
	struct str rest;
	struct str line;
	size_t len = 0;

	if (module_files_slurp(path.p, FILES_PERF_MAP, &text, &len, &m->why) < 0)
		return;
	rest = (struct str){ text, len };
	while (str_line(&rest, &line)) {
		uint64_t start;
		uint64_t size;

		if (str_hex64(&line, &start) && str_take(&line, STR(" ")) &&
		    str_hex64(&line, &size) && str_take(&line, STR(" ")) && line.len)
			symtab_add(&m->table, start, size, line, SYMTAB_GLOBAL);
	}
	symtab_finish(&m->table, true);
}

void resolver_load(struct resolver *r, struct module *m)
{
	struct module_places places = resolver_module_places(r);
	struct str path = strings_get(resolver_strings(r), m->path);

	m->is_loaded = true;
	if (resolver_cache_take(r, m))
		return;
	if (m->kind == MODULE_JIT)
		resolver_load_jit(m, path);
	else if (m->kind == MODULE_FILE)
		m->is_found = module_files_load(path, &m->build_id, &places, &m->table,
						&m->is_unread, &m->why) == OK;
}

static bool resolver_find_kernel(struct kernel_table *t, uint64_t address,
				 struct kernel_symbol *ret)
{
	uint64_t in_table = address - t->shift;

	if (t->kallsyms.index) {
		struct symtab *table;
		struct symtab_entry *e = kallsyms_index_find(t->kallsyms.index, in_table, &table);

		if (e)
			*ret = (struct kernel_symbol){ table, e, e->start + t->shift, true };
		return e != NULL;
	}
	for (size_t i = 0; i < t->kallsyms.modules.len; i++) {
		struct symtab *table = &t->kallsyms.modules.data[i].table;
		struct symtab_entry *first = table->entries.data;
		struct symtab_entry *e;

		if (table->entries.len == 0 || in_table < first->start ||
		    in_table >= first[table->entries.len - 1].end)
			continue;
		e = symtab_find(table, in_table);
		if (e) {
			*ret = (struct kernel_symbol){ table, e, e->start + t->shift, i == 0 };
			return true;
		}
	}
	return false;
}

void resolver_load_kernels(struct resolver *r)
{
	for (unsigned int i = 0; i < KERNEL_TABLES; i++) {
		if (!r->kernel_tables[i].is_tried)
			resolver_load_kernel(r, (enum kernel_table_kind)i);
	}
}

bool resolver_kernel_entry(struct resolver *r, uint64_t address, struct kernel_symbol *ret)
{
	if (!r->kernel_tables[0].is_tried)
		resolver_cache_take_kernel(r);
	for (unsigned int i = 0; i < KERNEL_TABLES; i++) {
		struct kernel_table *t = &r->kernel_tables[i];

		if (!t->is_tried)
			resolver_load_kernel(r, (enum kernel_table_kind)i);
		if (t->is_there && resolver_find_kernel(t, address, ret))
			return true;
	}
	return false;
}
