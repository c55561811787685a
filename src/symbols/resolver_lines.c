/* SPDX-License-Identifier: MIT */
/*
 * Frames of an address are kept under (module, offset): the same code of all
 * processes is looked up once.
 */
#include "symbols/resolver_state.h"

#include "base/limits.h"
#include "base/out.h"
#include "symbols/demangle.h"
#include "symbols/module_files.h"

struct resolver_line {
	uint64_t offset;
	uint32_t module;
	uint32_t detail;
	sym_id function; /* the same address may be another symbol after a new map */
	uint32_t first;  /* in syms */
	uint32_t n;
};

struct resolver_lines {
	VEC(struct resolver_line) rows;
	struct idmap map;
	VEC(sym_id) syms;
};

void resolver_lines_free(struct resolver *r)
{
	VEC_FOREACH (m, &r->modules) {
		if (m->lines)
			lines_free(m->lines->lines);
		free(m->lines);
	}
	if (!r->lines)
		return;
	VEC_FREE(&r->lines->rows);
	VEC_FREE(&r->lines->syms);
	idmap_fini(&r->lines->map);
	free(r->lines);
}

static struct lines *resolver_module_lines(struct resolver *r, struct module *m)
{
	struct module_places places = resolver_module_places(r);
	struct module_lines found;

	if (m->kind != MODULE_FILE)
		return NULL;
	if (!m->is_lines_tried) {
		m->is_lines_tried = true;
		if (module_files_lines(strings_get(resolver_strings(r), m->path), &m->build_id,
				       &places, &found, NULL) == OK) {
			m->lines = xmalloc(sizeof(*m->lines));
			*m->lines = found;
		}
	}
	return m->lines ? m->lines->lines : NULL;
}

static uint64_t resolver_virtual(const struct module_lines *m, uint64_t offset)
{
	for (size_t i = 0; i < m->n_loads; i++) {
		const struct elf_load *l = &m->loads[i];

		if (offset >= l->offset && offset - l->offset < l->size)
			return offset - l->offset + l->vaddr;
	}
	return offset;
}

/* @name of the frame, with its line where that is wanted. */
static sym_id resolver_frame_symbol(struct resolver *r, struct str name, const struct line_frame *f,
				    sym_id function, unsigned int flags, unsigned int detail)
{
	const struct symbol *s = symbols_get(r->symbols, function);
	struct str module = strings_get(resolver_strings(r), s->module);
	enum symbol_space space = (enum symbol_space)s->space;
	size_t slash = str_rfind_char(f->file, '/');
	struct out o;
	sym_id sym;

	if (!(detail & RESOLVER_LINES) || f->line == 0)
		return flags ? symbols_add_text(r->symbols, name, module, space, flags) : function;
	out_init(&o);
	out_str(&o, name);
	out_z(&o, " ");
	out_str(&o, slash < f->file.len ? str_skip(f->file, slash + 1) : f->file);
	out_z(&o, ":");
	out_u64(&o, f->line);
	sym = symbols_add_text(r->symbols, out_view(&o), module, space, flags);
	out_fini(&o);
	return sym;
}

/* Frames of the debug information behind the function that the symbol table names. */
static void resolver_read_frames(struct resolver *r, struct module *m, uint64_t offset,
				 sym_id function, unsigned int detail)
{
	struct lines *lines = resolver_module_lines(r, m);
	struct line_frame frames[LINES_FRAMES_MAX];
	size_t n = lines ? lines_find(lines, resolver_virtual(m->lines, offset), frames) : 0;

	if (n == 0) {
		*VEC_PUSH(&r->lines->syms) = function;
		return;
	}
	if (!(detail & RESOLVER_INLINES)) { /* the line of the place itself */
		frames[0].is_inlined = false;
		n = 1;
	}
	for (size_t i = n; i-- > 0;) {
		struct line_frame *f = &frames[i];
		struct str name = f->is_inlined ? demangle(&r->scratch, f->function)
						: symbols_name(r->symbols, function);

		/* the file has an inlined function at its end: there is no other */
		if (i == n - 1 && f->is_inlined)
			*VEC_PUSH(&r->lines->syms) = function;
		*VEC_PUSH(&r->lines->syms) = resolver_frame_symbol(
			r, name, f, function, f->is_inlined ? SYMBOL_INLINED : 0, detail);
		arena_clear(&r->scratch);
	}
}

const sym_id *resolver_frames(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
			      unsigned int detail, size_t *ret_n)
{
	sym_id function = resolver_symbol(r, pid, mode, address);
	const struct map *map =
		mode == CPUMODE_USER ? resolver_find_map(resolver_process(r, pid), address) : NULL;
	struct resolver_line row = { .detail = detail, .function = function };
	struct idmap_probe p;
	sym_id before;

	if (!r->lines)
		r->lines = xcalloc(1, sizeof(*r->lines));
	/* what no symbol covers, perf does not look up either */
	if (map && !(symbols_get(r->symbols, function)->flags & SYMBOL_ADDRESS)) {
		row.module = map->module;
		row.offset = address - map->start + map->offset;
	} else {
		row.module = RESOLVER_NO_MODULE;
	}
	p = idmap_first(&r->lines->map, hash_u64(row.offset, (uint64_t)row.module << 32 ^ detail ^
								     function.v << 3));
	while (idmap_next(&r->lines->map, &p)) {
		const struct resolver_line *l = &r->lines->rows.data[p.id];

		if (l->offset == row.offset && l->module == row.module && l->detail == detail &&
		    l->function.v == function.v) {
			*ret_n = l->n;
			return r->lines->syms.data + l->first;
		}
	}
	row.first = (uint32_t)r->lines->syms.len;
	if (row.module == RESOLVER_NO_MODULE) {
		*VEC_PUSH(&r->lines->syms) = function;
	} else {
		struct module *m = &r->modules.data[row.module];
		uint64_t at = row.offset;

		if (detail & RESOLVER_AFTER_CALL && at) {
			before = resolver_symbol(r, pid, mode, address - 1);
			at -= before.v == function.v; /* else the call never comes back */
		}
		resolver_read_frames(r, m, at, function, detail);
	}
	row.n = (uint32_t)r->lines->syms.len - row.first;
	idmap_insert(&r->lines->map, &p, (uint32_t)r->lines->rows.len);
	*VEC_PUSH(&r->lines->rows) = row;
	*ret_n = row.n;
	return r->lines->syms.data + row.first;
}

static void resolver_set_place(struct resolver *r, struct module *m, const struct symtab_entry *e)
{
	struct lines *lines = resolver_module_lines(r, m);
	struct line_frame frames[LINES_FRAMES_MAX];
	size_t n = lines ? lines_find(lines, resolver_virtual(m->lines, e->start), frames) : 0;

	/* the last is the function itself, whatever was inlined at its start */
	if (n && frames[n - 1].file.len && !frames[n - 1].is_inlined)
		symbols_set_place(r->symbols, e->sym,
				  strings_add(resolver_strings(r), frames[n - 1].file),
				  frames[n - 1].line);
}

void resolver_set_places(struct resolver *r)
{
	VEC_FOREACH (m, &r->modules) {
		if (m->kind != MODULE_FILE)
			continue;
		VEC_FOREACH (e, &m->table.entries) {
			if (e->sym.v)
				resolver_set_place(r, m, e);
		}
	}
}
