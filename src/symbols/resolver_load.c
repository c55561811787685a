/* SPDX-License-Identifier: MIT */
#include "symbols/resolver_state.h"

#include "symbols/kernel_files.h"
#include "symbols/module_files.h"

static void resolver_load_kallsyms(struct resolver *r)
{
	struct kernel_files f = {
		.kallsyms = r->options.kallsyms,
		.vmlinux = r->options.vmlinux,
		.root = r->options.root,
		.cache = r->options.cache,
		.release = str_of(r->options.release),
	};

	r->kallsyms_tried = true;
	VEC_FOREACH (k, &r->known_ids) {
		if (str_starts(strings_get(resolver_strings(r), k->path), STR("[kernel.kallsyms]")))
			f.id = k->id;
	}
	if (kernel_files_load(&f, &r->kallsyms, &r->kallsyms_error) < 0)
		return;
	r->has_kallsyms = true;
	VEC_FOREACH (e, &r->kallsyms.modules.data[0].table.entries) {
		if (r->reference_address && str_eq(e->name, STR("_text")))
			r->kernel_shift = (int64_t)(r->reference_address - e->start);
	}
}

static void resolver_load_jit(struct module *m, struct str path)
{
	CLEANUP(freep) char *text = NULL;
	struct str rest;
	struct str line;
	size_t len = 0;

	if (module_files_slurp(path.p, &text, &len, &m->why) < 0)
		return;
	rest = (struct str){ text, len };
	while (str_line(&rest, &line)) {
		uint64_t start;
		uint64_t size;

		if (str_hex64(&line, &start) && str_take(&line, STR(" ")) &&
		    str_hex64(&line, &size) && str_take(&line, STR(" ")) && line.len)
			symtab_add(&m->table, start, size, line, SYMTAB_GLOBAL, false);
	}
	symtab_finish(&m->table);
}

void resolver_load(struct resolver *r, struct module *m)
{
	struct module_places places = resolver_module_places(r);
	struct str path = strings_get(resolver_strings(r), m->path);

	m->is_loaded = true;
	if (m->kind == MODULE_JIT)
		resolver_load_jit(m, path);
	else if (m->kind == MODULE_FILE)
		m->is_found =
			module_files_load(path, &m->build_id, &places, &m->table, &m->why) == OK;
}

struct symtab_entry *resolver_kernel_entry(struct resolver *r, uint64_t address,
					   struct str *ret_module)
{
	if (!r->kallsyms_tried)
		resolver_load_kallsyms(r);
	if (!r->has_kallsyms)
		return NULL;
	address -= (uint64_t)r->kernel_shift;
	for (size_t i = 0; i < r->kallsyms.modules.len; i++) {
		struct kallsyms_module *m = &r->kallsyms.modules.data[i];
		struct symtab_entry *first = m->table.entries.data;
		struct symtab_entry *e;

		if (m->table.entries.len == 0 || address < first->start ||
		    address >= first[m->table.entries.len - 1].end)
			continue;
		e = symtab_find(&m->table, address);
		if (e) {
			*ret_module = m->name;
			return e;
		}
	}
	return NULL;
}
