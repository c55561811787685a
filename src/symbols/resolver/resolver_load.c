/* SPDX-License-Identifier: MIT */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kallsyms_index.h"
#include "symbols/kernel/kernel_files.h"
#include "symbols/module_files.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

#include <limits.h>
#include <stdio.h>

struct kernel_files resolver_kernel_files(struct resolver *r)
{
	struct kernel_files f = {
		.kallsyms = r->options.kallsyms,
		.vmlinux = r->options.vmlinux,
		.root = r->options.root,
		.cache = r->options.cache,
		.release = r->origin.recorded.release,
		.id = resolver_kernel_id(r),
	};
	const struct origin_verdict *v;

	if (f.kallsyms || f.vmlinux)
		return f;
	v = resolver_origin(r, ORIGIN_OF_KERNEL);
	f.is_running = v->origin == ORIGIN_SAME;
	f.why_not = v->why.msg;
	if (f.is_running && !f.id.len)
		f.id = r->origin.here.kernel;
	return f;
}

/*
 * Whether the kernel modules in the table @t have the addresses that they had during the recording.
 * They get other addresses in each boot.
 */
static bool resolver_has_modules(struct resolver *r, const struct kernel_table *t,
				 enum kernel_source source)
{
	if (source == KERNEL_RUNNING)
		return t->shift == 0 &&
		       resolver_origin(r, ORIGIN_OF_MACHINE)->origin != ORIGIN_OTHER;
	return source == KERNEL_NAMED || (source == KERNEL_COPY && t->shift == 0);
}

static void resolver_load_kernel(struct resolver *r, enum kernel_table_kind kind)
{
	struct kernel_table *t = &r->kernel_tables[kind];
	enum kernel_source source = KERNEL_COPY;
	struct kernel_files f;
	int status;

	t->is_tried = true;
	if (r->options.names) {
		resolver_names_load_kernel(r);
		return;
	}
	f = resolver_kernel_files(r);
	if (kind == KERNEL_OWN) {
		t->is_there = kernel_files_own(&f, &t->kallsyms);
	} else {
		status = kernel_files_load(&f, &t->kallsyms, &source, &r->kernel_error);
		t->is_there = status == OK;
		t->is_unread = status == ERR_IO;
	}
	if (t->is_there && r->reference_address) {
		uint64_t text = t->kallsyms.index ? kallsyms_index_text(t->kallsyms.index)
						  : t->kallsyms.marks.text;

		t->shift = text ? r->reference_address - text : 0;
	}
	t->has_modules = t->is_there && resolver_has_modules(r, t, source);
}

/*
 * Load the symbols of JIT code from perf-PID.map. The recording must be from this boot, because
 * process ids are reused in other boots.
 */
static void resolver_load_jit(struct resolver *r, struct module *m, struct str path)
{
	CLEANUP(freep) char *text = NULL;
	char named[PATH_MAX];
	struct str rest;
	struct str line;
	size_t len = 0;

	if (!r->options.root && resolver_origin(r, ORIGIN_OF_MACHINE)->origin != ORIGIN_SAME) {
		m->why = resolver_origin(r, ORIGIN_OF_MACHINE)->why;
		return;
	}
	(void)snprintf(named, sizeof(named), "%s" STR_FMT, r->options.root ? r->options.root : "",
		       STR_ARG(path));
	if (module_files_slurp(named, FILES_PERF_MAP, &text, &len, &m->why) < 0) {
		if (r->options.root)
			return;
		module_files_of_process(path, m->pid, named);
		if (module_files_slurp(named, FILES_PERF_MAP, &text, &len, NULL) < 0)
			return;
	}
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
	struct str path = strings_get(resolver_strings(r), m->path);
	struct error why = { "" };

	m->is_loaded = true;
	if (r->options.names) {
		resolver_names_load(r, m);
		return;
	}
	if (resolver_cache_take(r, m))
		return;
	if (m->kind == MODULE_JIT)
		resolver_load_jit(r, m, path);
	if (m->kind == MODULE_FILE) {
		struct module_places places = resolver_module_places(r, m);

		m->is_found = module_files_load(path, &m->build_id, &places, &m->table,
						&m->is_unread, &why) == OK;
		if (m->build_id.len || places.is_proven || !m->why.msg[0])
			/*
			 * in all other cases, m->why is already set: it is the reason why it is not
			 * proven that this file is the recorded one
			 */
			m->why = why;
	}
}

static bool resolver_find_kernel(struct kernel_table *t, uint64_t address,
				 struct kernel_symbol *ret)
{
	uint64_t in_table = address - t->shift;

	if (t->kallsyms.index) {
		struct symtab *table;
		struct symtab_entry *e = kallsyms_index_find(t->kallsyms.index, in_table, &table);

		if (e)
			*ret = (struct kernel_symbol){ table, e, e->start + t->shift, true,
						       STR_NONE };
		return e != NULL;
	}
	for (size_t i = 0; i < (t->has_modules ? t->kallsyms.modules.len : 1); i++) {
		struct symtab *table = &t->kallsyms.modules.data[i].table;
		struct symtab_entry *first = table->entries.data;
		struct symtab_entry *e;

		if (table->entries.len == 0 || in_table < first->start ||
		    in_table >= first[table->entries.len - 1].end)
			continue;
		e = symtab_find(table, in_table);
		if (e) {
			*ret = (struct kernel_symbol){ table, e, e->start + t->shift, i == 0,
						       kallsyms_module_name(
							       &t->kallsyms.modules.data[i]) };
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

bool resolver_is_data(const struct resolver *r, sym_id function)
{
	const struct symbol *s = symbols_get(r->symbols, function);

	if (s->space != SPACE_KERNEL || s->flags & SYMBOL_ADDRESS || !s->address)
		return false;
	for (unsigned int i = 0; i < KERNEL_TABLES; i++) {
		const struct kernel_table *t = &r->kernel_tables[i];

		if (t->is_there && !t->kallsyms.index &&
		    symtab_find(&t->kallsyms.modules.data[0].table, s->address - t->shift))
			return kallsyms_is_data(&t->kallsyms.marks, s->address - t->shift);
	}
	return false;
}

struct str resolver_kernel_missing(const struct resolver *r)
{
	return str_of(r->options.kernel_refused ? r->options.kernel_refused : r->kernel_error.msg);
}

bool resolver_kernel_entry(struct resolver *r, uint64_t address, struct kernel_symbol *ret)
{
	if (r->options.kernel_refused)
		return false;
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
