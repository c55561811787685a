/* SPDX-License-Identifier: MIT */
/*
 * Resolve addresses to frames with inlined functions and source lines. Frames of modules are cached
 * by module and file offset, so that processes with the same modules share them. Frames of the
 * kernel are cached by address.
 */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/demangle.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kernel_files.h"
#include "symbols/lines/lines.h"
#include "symbols/module_files.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

struct resolver_line {
	uint64_t offset;
	uint32_t module;
	uint32_t detail;
	/*
	 * number of the JIT code (resolver_jit_order()), which is needed because JIT compilers
	 * reuse addresses; 0: not JIT code
	 */
	uint32_t code;
	/*
	 * function at the address; it is part of the key, because a new map may change the function
	 */
	sym_id function;
	uint32_t first; /* index of the first frame in resolver_lines.syms */
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
	lines_free(r->kernel_lines.lines);
	if (!r->lines)
		return;
	VEC_FREE(&r->lines->rows);
	VEC_FREE(&r->lines->syms);
	idmap_fini(&r->lines->map);
	free(r->lines);
}

uint64_t resolver_split_missing(const struct resolver *r, struct str *ret_path)
{
	struct str path = STR_NONE;
	uint64_t n = 0;

	*ret_path = STR_NONE;
	VEC_FOREACH (m, &r->modules) {
		n += m->lines ? lines_missing(m->lines->lines, &path) : 0;
		*ret_path = ret_path->len ? *ret_path : path;
	}
	return n;
}

static struct lines *resolver_module_lines(struct resolver *r, struct module *m)
{
	struct module_lines found;

	if (m->kind != MODULE_FILE)
		return NULL;
	if (!m->is_lines_tried) {
		struct module_places places = resolver_module_places(r, m);

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

/* Symbol table with the functions of the kernel module @m in the recorded kernel; NULL: unknown. */
static const struct symtab *resolver_module_functions(struct resolver *r, const struct module *m,
						      uint64_t *ret_shift)
{
	const struct kernel_table *t = &r->kernel_tables[KERNEL_WITH_MODULES];
	struct str name = strings_get(resolver_strings(r), m->name);

	if (name.len < 3)
		return NULL;
	name = str_sub(name, 1, name.len - 1); /* "[ext4]" becomes "ext4" */
	VEC_FOREACH (k, &t->kallsyms.modules) {
		if (t->has_modules && str_eq(kallsyms_module_name(k), name)) {
			*ret_shift = t->shift;
			return &k->table;
		}
	}
	return NULL;
}

/* Path of the file after decompression: "ext4.ko" for "ext4.ko.xz". */
static struct str resolver_unpacked_path(struct str path)
{
	static const char *const packers[] = { ".gz", ".xz", ".zst" };

	for (size_t i = 0; i < ARRAY_LEN(packers); i++) {
		if (str_ends(path, str_of(packers[i])))
			return str_sub(path, 0, path.len - strlen(packers[i]));
	}
	return path;
}

/*
 * Where the file of a kernel module is searched. Its folder is named after the kernel's release. So
 * if it is proven that the running kernel was recorded, it is also proven that this file was used.
 */
static struct module_places resolver_kernel_module_places(struct resolver *r, struct module *m)
{
	struct module_places places = resolver_module_places(r, m);

	places.is_proven |=
		!m->build_id.len && resolver_origin(r, ORIGIN_OF_KERNEL)->origin == ORIGIN_SAME;
	return places;
}

/* The debug information of the kernel module @m, which is mapped at @start; NULL: not available. */
static struct module_lines *resolver_object_lines(struct resolver *r, struct module *m,
						  uint64_t start)
{
	struct module_places places = resolver_kernel_module_places(r, m);
	struct str path = strings_get(resolver_strings(r), m->path);
	struct str file = resolver_unpacked_path(path);
	const struct symtab *known;
	struct module_lines found;
	uint64_t shift = 0;

	if (m->is_lines_tried)
		return m->lines;
	m->is_lines_tried = true;
	if (module_files_lines(file, &m->build_id, &places, &found, NULL) < 0)
		return NULL;
	known = resolver_module_functions(r, m, &shift);
	m->lines = xmalloc(sizeof(*m->lines));
	*m->lines = found;
	m->lines->n_loads = lines_loads(found.lines, known, shift, start, m->lines->loads);
	return m->lines;
}

/*
 * Find the frames at @address of the kernel or of a kernel module, in debug information. The
 * recorded address is first converted to an address in the file.
 */
static size_t resolver_kernel_lines(struct resolver *r, uint64_t address,
				    struct line_frame frames[LINES_FRAMES_MAX])
{
	struct resolver_kernel_lines *k = &r->kernel_lines;
	const struct map *map =
		resolver_find_map(resolver_process(r, RESOLVER_KERNEL_PID), address);
	struct module *m = map ? &r->modules.data[map->module] : NULL;

	if (m && m->kind == MODULE_KERNEL &&
	    str_contains(strings_get(resolver_strings(r), m->path), STR(".ko"))) {
		const struct module_lines *l = resolver_object_lines(r, m, map->start);

		return l ? lines_find(l->lines, resolver_virtual(l, address), frames) : 0;
	}
	if (r->options.kernel_refused)
		return 0;
	if (!k->is_tried) {
		struct kernel_files f = resolver_kernel_files(r);
		uint64_t text = 0;

		k->is_tried = true;
		if (kernel_files_lines(&f, &k->lines, &text, NULL) == OK && text &&
		    r->reference_address)
			k->shift = r->reference_address - text;
	}
	return k->lines ? lines_find(k->lines, address - k->shift, frames) : 0;
}

/* The last component of @path, without folders. */
static struct str resolver_base(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	return slash < path.len ? str_skip(path, slash + 1) : path;
}

/* What is printed for a frame without a source line. */
struct resolver_where_in {
	/* module that contains the frame; NULL: the frame is in the kernel, or in no module */
	const struct module *module;
	/* file offset in a module that is a file, otherwise the address */
	uint64_t address;
};

/*
 * Append the source position of a frame to @o, as perf prints it: "file.c:12". If there is no
 * source line, it is:
 * - "??:0" for a function in a file, and for an address outside all modules;
 * - "function+offset" (decimal) for code without a file, and for PLT stubs;
 * - "module[address]" for an address without a function.
 */
static void resolver_place_words(struct resolver *r, struct out *o, const struct line_frame *f,
				 sym_id function, const struct resolver_where_in *in)
{
	const struct symbol *s = symbols_get(r->symbols, function);
	struct str module = strings_get(resolver_strings(r), s->module);
	const struct module *m = in->module;

	if (f->file.len) {
		out_str(o, resolver_base(f->file));
		out_z(o, ":");
		out_u64(o, f->line);
	} else if (s->flags & SYMBOL_ADDRESS && str_eq(module, STR("[unknown]"))) {
		out_z(o, "??:0");
	} else if (s->flags & SYMBOL_ADDRESS) {
		out_printf(o, STR_FMT "[%llx]", STR_ARG(module), (unsigned long long)in->address);
	} else if (m && m->kind == MODULE_FILE && !str_starts(module, STR("[")) &&
		   !str_ends(strings_get(resolver_strings(r), s->name), STR("@plt"))) {
		out_z(o, "??:0");
	} else {
		out_str(o, strings_get(resolver_strings(r), s->name));
		out_z(o, "+");
		out_u64(o, in->address - s->address);
	}
}

/*
 * Create a symbol whose member place is the source line or source file of @f. @inlined: name of the
 * inlined function; empty: the frame is of @function itself.
 */
static sym_id resolver_placed_symbol(struct resolver *r, struct str inlined,
				     const struct line_frame *f, sym_id function,
				     const struct resolver_where_in *in, unsigned int detail)
{
	struct strings *strings = resolver_strings(r);
	str_id file = strings_add(strings, resolver_base(f->file));
	struct out o;
	sym_id sym;

	out_init(&o);
	if (detail & RESOLVER_SOURCES)
		out_str(&o, resolver_base(f->file));
	else
		resolver_place_words(r, &o, f, function, in);
	sym = symbols_add_place(r->symbols, function, inlined, strings_add(strings, out_view(&o)));
	if (file.v && sym.v != function.v)
		symbols_set_place(r->symbols, sym, file, f->line);
	out_fini(&o);
	return sym;
}

/*
 * Create a symbol for a frame of the function @name. If @detail requests it, the source line is
 * added to the name.
 */
static sym_id resolver_frame_symbol(struct resolver *r, struct str name, const struct line_frame *f,
				    sym_id function, unsigned int flags, unsigned int detail)
{
	const struct symbol *s = symbols_get(r->symbols, function);
	struct str module = strings_get(resolver_strings(r), s->module);
	enum symbol_space space = (enum symbol_space)s->space;
	struct out o;
	sym_id sym;

	if (!(detail & RESOLVER_LINES) || f->line == 0)
		return flags ? symbols_add_text(r->symbols, name, module, space, flags) : function;
	out_init(&o);
	out_str(&o, name);
	out_z(&o, " ");
	out_str(&o, resolver_base(f->file));
	out_z(&o, ":");
	out_u64(&o, f->line);
	sym = symbols_add_text(r->symbols, out_view(&o), module, space, flags);
	out_fini(&o);
	return sym;
}

static size_t resolver_read_lines(struct resolver *r, struct module *m, uint64_t address,
				  struct line_frame frames[LINES_FRAMES_MAX])
{
	struct lines *lines;

	if (!m)
		return resolver_kernel_lines(r, address, frames);
	if (m->kind == MODULE_JIT)
		return resolver_jit_line(r, m->pid, address, frames);
	lines = resolver_module_lines(r, m);
	return lines ? lines_find(lines, resolver_virtual(m->lines, address), frames) : 0;
}

/* Find the frames at an address in debug information. Returns the number of frames; 0: unknown. */
static size_t resolver_find_lines(struct resolver *r, struct module *m, uint64_t address,
				  struct line_frame frames[LINES_FRAMES_MAX])
{
	/* JIT code has no debug information, but lines in the jitdump */
	bool is_jit = m && m->kind == MODULE_JIT;
	size_t n = r->options.names && !is_jit ? resolver_names_lines(r, m, address, frames)
					       : resolver_read_lines(r, m, address, frames);

	if (n && r->options.collected && !is_jit)
		resolver_names_note_lines(r, m, address, frames, n);
	return n;
}

/*
 * Append the frames at an address to lines.syms. @function: function at the address, from the
 * symbol table. The functions inlined into it come from debug information.
 */
static void resolver_read_frames(struct resolver *r, struct module *m, uint64_t address,
				 uint64_t looked_up, sym_id function, unsigned int detail)
{
	const struct resolver_where_in in = { m, address };
	bool is_placed = detail & (RESOLVER_PLACES | RESOLVER_SOURCES);
	struct line_frame frames[LINES_FRAMES_MAX] = { { .line = 0 } };
	size_t n = resolver_find_lines(r, m, looked_up, frames);

	if (n == 0 && !is_placed) {
		*VEC_PUSH(&r->lines->syms) = function;
		return;
	}
	if (n == 0 ||
	    /*
	     * RESOLVER_INLINES is not set: keep only the innermost frame, which has the source line
	     * of the address
	     */
	    !(detail & RESOLVER_INLINES)) {
		frames[0].is_inlined = false;
		n = 1;
	}
	for (size_t i = n; i-- > 0;) {
		struct line_frame *f = &frames[i];
		struct str name = f->is_inlined ? demangle(&r->scratch, f->function) : STR_NONE;

		/*
		 * all frames are of inlined functions: add the function itself, from the symbol
		 * table
		 */
		if (i == n - 1 && f->is_inlined)
			*VEC_PUSH(&r->lines->syms) = function;
		if (is_placed)
			*VEC_PUSH(&r->lines->syms) =
				resolver_placed_symbol(r, name, f, function, &in, detail);
		else
			*VEC_PUSH(&r->lines->syms) = resolver_frame_symbol(
				r, f->is_inlined ? name : symbols_name(r->symbols, function), f,
				function, f->is_inlined ? SYMBOL_INLINED : 0, detail);
		arena_clear(&r->scratch);
	}
}

/*
 * Set row->module and row->offset, the part of the cache key that shows where @address is:
 * - in a module: index of the module, and file offset of @address; in a module that is not a
 *   file, @address itself;
 * - in the kernel: RESOLVER_NO_MODULE - 1, and @address;
 * - in no module, or without a symbol: RESOLVER_NO_MODULE.
 *
 * With RESOLVER_PLACES or RESOLVER_SOURCES, an address in no module is treated like an address of
 * the kernel, and an address need not have a symbol.
 */
static void resolver_line_row(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
			      struct resolver_line *row)
{
	const struct map *map =
		mode == CPUMODE_USER ? resolver_find_map(resolver_process(r, pid), address) : NULL;
	bool is_placed = row->detail & (RESOLVER_PLACES | RESOLVER_SOURCES);

	row->module = RESOLVER_NO_MODULE;
	/* like perf, find no source line for an address without a symbol */
	if (symbols_get(r->symbols, row->function)->flags & SYMBOL_ADDRESS && !is_placed)
		return;
	if (map) {
		row->module = map->module;
		row->offset = r->modules.data[map->module].kind == MODULE_FILE
				      ? address - map->start + map->offset
				      : address;
		if (r->modules.data[map->module].kind == MODULE_JIT)
			row->code = resolver_jit_order(r, pid, address);
	} else if (mode == CPUMODE_KERNEL || is_placed) {
		row->module = RESOLVER_NO_MODULE - 1;
		row->offset = address;
	}
}

/*
 * Find the frames with the key in @row in the cache, and store them in @row. Returns false if they
 * are not cached.
 */
static bool resolver_known_frames(struct resolver *r, struct resolver_line *row,
				  struct idmap_probe *p)
{
	*p = idmap_first(&r->lines->map,
			 hash_u64(row->offset, (uint64_t)row->module << 32 ^ row->detail ^
						       row->code << 8 ^ row->function.v << 3));
	while (idmap_next(&r->lines->map, p)) {
		const struct resolver_line *l = &r->lines->rows.data[p->id];

		if (l->offset == row->offset && l->module == row->module &&
		    l->detail == row->detail && l->code == row->code &&
		    l->function.v == row->function.v) {
			*row = *l;
			return true;
		}
	}
	return false;
}

const sym_id *resolver_frames(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
			      unsigned int detail, size_t *ret_n)
{
	struct resolver_line row = { .detail = detail };
	struct idmap_probe p;

	row.function = resolver_symbol(r, pid, mode, address);
	if (!r->lines)
		r->lines = xcalloc(1, sizeof(*r->lines));
	resolver_line_row(r, pid, mode, address, &row);
	if (resolver_known_frames(r, &row, &p)) {
		*ret_n = row.n;
		return r->lines->syms.data + row.first;
	}
	row.first = (uint32_t)r->lines->syms.len;
	if (row.module == RESOLVER_NO_MODULE) {
		*VEC_PUSH(&r->lines->syms) = row.function;
	} else {
		struct module *m =
			row.module < r->modules.len ? &r->modules.data[row.module] : NULL;
		uint64_t at = row.offset;

		if (detail & RESOLVER_AFTER_CALL && at &&
		    resolver_symbol(r, pid, mode, address - 1).v == row.function.v)
			/*
			 * look up the byte before the return address, which is in the call
			 * instruction. If the function never returns, the return address may
			 * already be in another function
			 */
			at--;
		resolver_read_frames(r, m, row.offset, at, row.function, detail);
	}
	row.n = (uint32_t)r->lines->syms.len - row.first;
	idmap_insert(&r->lines->map, &p, (uint32_t)r->lines->rows.len);
	*VEC_PUSH(&r->lines->rows) = row;
	*ret_n = row.n;
	return r->lines->syms.data + row.first;
}

static void resolver_set_place(struct resolver *r, struct module *m, const struct symtab_entry *e)
{
	struct line_frame frames[LINES_FRAMES_MAX];
	size_t n = resolver_find_lines(r, m, e->start, frames);

	/*
	 * the last frame is the function itself; the frames before it are functions that are
	 * inlined at the start of this function
	 */
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

bool resolver_code_source(struct resolver *r, const struct resolver_code *code,
			  struct resolver_source *ret)
{
	struct module *m = &r->modules.data[code->module];
	struct line_frame frames[LINES_FRAMES_MAX];
	size_t n = resolver_find_lines(r, m, code->offset, frames);
	const struct symbol *s = symbols_get(r->symbols, code->sym);

	*ret = (struct resolver_source){ .line = 0 };
	if (n == 0)
		return false;
	ret->file = strings_add(resolver_strings(r), resolver_base(frames[0].file));
	ret->path = frames[0].file;
	ret->folder = frames[0].folder;
	ret->line = frames[0].line;
	if (frames[0].is_inlined && frames[0].function.len) {
		ret->inlined =
			symbols_add_text(r->symbols, demangle(&r->scratch, frames[0].function),
					 strings_get(resolver_strings(r), s->module),
					 (enum symbol_space)s->space, SYMBOL_INLINED);
		arena_clear(&r->scratch);
	}
	return true;
}
