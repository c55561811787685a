/* SPDX-License-Identifier: MIT */
/*
 * resolver_names.c - resolve addresses by the names that are stored in a recording (names.h), and
 * collect names to be stored in a recording
 *
 * Names are collected while a recording is read on the machine where it was made. If an entry of a
 * symbol table was looked up, its member `sym` is set: all these entries are collected at the end.
 * Source lines and leaves (struct names_leaf) are collected when they are looked up.
 */
#include "symbols/resolver/resolver_state.h"

#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "symbols/jitdump.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/lines/lines.h"
#include "symbols/names.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"

#include <stdlib.h>

/* Number of the module @m in names.modules; @m NULL: the kernel. */
static uint32_t names_number(const struct resolver *r, const struct module *m)
{
	return m ? (uint32_t)(m - r->modules.data) : NAMES_KERNEL;
}

static const struct names_module *names_of(struct resolver *r, const struct module *m)
{
	return names_find_module(r->options.names, names_number(r, m),
				 strings_get(resolver_strings(r), m->path));
}

static void names_fill(const struct names *n, struct names_rows rows, struct symtab *t)
{
	for (uint32_t i = 0; i < rows.n; i++) {
		const struct names_symbol *s = &n->symbols.data[rows.first + i];

		symtab_add(t, s->start, s->size, s->name, SYMTAB_LOCAL);
	}
	VEC_FOREACH (e, &t->entries)
		e->sym = SYM_ID_NONE;
}

static struct error names_error(struct str why)
{
	struct error err = { "" };

	if (why.len)
		(void)fail(&err, ERR_NOTFOUND, STR_FMT, STR_ARG(why));
	return err;
}

void resolver_names_load(struct resolver *r, struct module *m)
{
	const struct names_module *known = names_of(r, m);

	if (!known)
		return;
	m->is_found = known->flags & NAMES_FOUND;
	m->is_unread = known->flags & NAMES_UNREAD;
	m->why = names_error(known->why);
	names_fill(r->options.names, known->symbols, &m->table);
}

void resolver_names_why(struct resolver *r, struct module *m)
{
	const struct names_module *known = names_of(r, m);

	if (known)
		m->why = names_error(known->why);
}

void resolver_names_load_kernel(struct resolver *r)
{
	const struct names *n = r->options.names;
	struct kernel_table *t = &r->kernel_tables[KERNEL_OWN];

	for (unsigned int i = 0; i < KERNEL_TABLES; i++)
		r->kernel_tables[i].is_tried = true;
	r->kernel_error = names_error(n->kernel_why);
	t->is_there = t->has_modules = n->kernels.len != 0;
	t->is_unread = n->n_unread != 0;
	t->kallsyms.marks = n->marks;
	VEC_FOREACH (k, &n->kernels) {
		struct kallsyms_module *m = VEC_PUSH(&t->kallsyms.modules);

		memset(m, 0, sizeof(*m));
		VEC_APPEND(&m->table.names, k->name.p, k->name.len);
		*VEC_PUSH(&m->table.names) = '\0';
		names_fill(n, k->symbols, &m->table);
	}
}

size_t resolver_names_lines(struct resolver *r, const struct module *m, uint64_t address,
			    struct line_frame frames[LINES_FRAMES_MAX])
{
	const struct names *n = r->options.names;
	const struct names_line *l = names_find_line(n, names_number(r, m), address);

	if (!l)
		return 0;
	memcpy(frames, n->frames.data + l->frames.first, l->frames.n * sizeof(*frames));
	return l->frames.n;
}

bool resolver_names_has_leaf(const struct resolver *r, const struct module *m, uint64_t offset)
{
	return names_has_leaf(r->options.names, names_number(r, m), offset);
}

static uint32_t names_add_text(struct jitdump *d, struct str s)
{
	uint32_t at = (uint32_t)d->names.len;

	VEC_APPEND(&d->names, s.p, s.len);
	*VEC_PUSH(&d->names) = '\0';
	return at;
}

static void names_add_code(const struct names *n, const struct names_jit_code *c, struct jitdump *d)
{
	*VEC_PUSH(&d->codes) = (struct jit_code){ .start = c->start,
						  .end = c->start + c->size,
						  .from_ns = c->from_ns,
						  .until_ns = c->until_ns,
						  .name = names_add_text(d, c->name),
						  .order = c->order,
						  .first_line = (uint32_t)d->lines.len,
						  .n_lines = c->lines.n };
	for (uint32_t i = 0; i < c->lines.n; i++) {
		const struct names_jit_line *l = &n->jit_lines.data[c->lines.first + i];

		*VEC_PUSH(&d->lines) = (struct jit_line){ .offset = l->offset,
							  .line = l->line,
							  .file = names_add_text(d, l->file) };
	}
}

bool resolver_names_jit(struct resolver *r, uint32_t number, struct jitdump *ret,
			struct error *ret_why)
{
	const struct names *n = r->options.names;
	size_t at = VEC_PARTITION(&n->jits, it, it->number < number);
	const struct names_jit *j = at < n->jits.len ? &n->jits.data[at] : NULL;

	if (!j || j->number != number)
		return false;
	*ret_why = names_error(j->why);
	if (!(j->flags & NAMES_FOUND))
		return false;
	ret->is_other_clock = j->flags & NAMES_OTHER_CLOCK;
	ret->has_lines = j->flags & NAMES_HAS_LINES;
	ret->n_bad = (j->flags & NAMES_UNREAD) != 0;
	ret->line_shift = j->line_shift;
	for (uint32_t i = 0; i < j->codes.n; i++)
		names_add_code(n, &n->jit_codes.data[j->codes.first + i], ret);
	jitdump_finish(ret);
	return true;
}

void resolver_names_note_lines(struct resolver *r, const struct module *m, uint64_t address,
			       const struct line_frame *frames, size_t count)
{
	struct names *n = r->options.collected;

	*VEC_PUSH(&n->lines) = (struct names_line){
		.module = names_number(r, m),
		.address = address,
		.frames = { (uint32_t)n->frames.len, (uint32_t)count },
	};
	VEC_APPEND(&n->frames, frames, count);
}

void resolver_names_note_leaf(struct resolver *r, const struct module *m, uint64_t offset)
{
	*VEC_PUSH(&r->options.collected->leaves) =
		(struct names_leaf){ names_number(r, m), offset };
}

void resolver_names_note_kernel(struct resolver *r, const struct kernel_symbol *k)
{
	*VEC_PUSH(&r->kernel_used) = (struct kernel_used){
		.module = k->is_kernels ? STR_NONE : k->module,
		.symbol = { k->start, k->entry->end - k->entry->start,
			    symtab_name(k->table, k->entry) },
	};
}

static int names_compare_used(const void *a, const void *b)
{
	const struct kernel_used *x = a;
	const struct kernel_used *y = b;
	int order = str_cmp(x->module, y->module);

	if (order)
		return order;
	return SORT_ORDER(x->symbol.start, y->symbol.start);
}

static uint64_t names_moved(uint64_t address, uint64_t shift)
{
	return address ? address + shift : 0;
}

static void names_collect_kernel(struct resolver *r, struct names *n)
{
	const struct kernel_used *before = NULL;

	n->kernel_why = resolver_kernel_missing(r);
	for (unsigned int i = 0; i < KERNEL_TABLES; i++) {
		const struct kernel_table *t = &r->kernel_tables[i];
		const struct kallsyms_marks *m = &t->kallsyms.marks;

		n->n_unread += t->is_unread;
		if (t->is_there && !t->kallsyms.index && !n->marks.text)
			n->marks = (struct kallsyms_marks){
				.text = names_moved(m->text, t->shift),
				.etext = names_moved(m->etext, t->shift),
				.init_text = names_moved(m->init_text, t->shift),
				.init_end = names_moved(m->init_end, t->shift),
			};
	}
	VEC_SORT(&r->kernel_used, names_compare_used);
	*VEC_PUSH(&n->kernels) = (struct names_kernel){ .name = STR_NONE };
	VEC_FOREACH (u, &r->kernel_used) {
		if (before && !names_compare_used(before, u))
			continue;
		before = u;
		if (!str_eq(n->kernels.data[n->kernels.len - 1].name, u->module))
			*VEC_PUSH(&n->kernels) = (struct names_kernel){ .name = u->module };
		n->kernels.data[n->kernels.len - 1].symbols.n++;
		*VEC_PUSH(&n->symbols) = u->symbol;
	}
}

/*
 * Add the functions of @t that were looked up, and those that overlap them. If none was looked up,
 * add the first function: it shows that the module has a symbol table. Returns the number of added
 * functions.
 */
static uint32_t names_collect_table(const struct symtab *t, struct names *n)
{
	size_t before = n->symbols.len;
	uint64_t upto = 0;

	VEC_FOREACH (e, &t->entries) {
		if (!e->sym.v && e->start >= upto)
			continue;
		if (e->sym.v && e->end > upto)
			upto = e->end;
		*VEC_PUSH(&n->symbols) =
			(struct names_symbol){ e->start, e->end - e->start, symtab_name(t, e) };
	}
	if (n->symbols.len == before && t->entries.len) {
		const struct symtab_entry *e = t->entries.data;

		*VEC_PUSH(&n->symbols) =
			(struct names_symbol){ e->start, e->end - e->start, symtab_name(t, e) };
	}
	return (uint32_t)(n->symbols.len - before);
}

static void names_collect_module(struct resolver *r, const struct module *m, struct names *n)
{
	struct names_module *known;

	if (!m->is_loaded && !m->failed_lookups && !m->is_unread)
		return;
	known = VEC_PUSH(&n->modules);
	*known = (struct names_module){
		.number = names_number(r, m),
		.flags = (m->is_found ? NAMES_FOUND : 0u) | (m->is_unread ? NAMES_UNREAD : 0u),
		.path = strings_get(resolver_strings(r), m->path),
		.why = str_of(m->why.msg),
	};
	/*
	 * do not collect the table of the kernel or of a kernel module: it has only BPF programs,
	 * whose names are in other records of the recording
	 */
	if (m->kind != MODULE_KERNEL)
		known->symbols.n = names_collect_table(&m->table, n);
}

void resolver_names_collect_jit(struct names *n, uint32_t number, const struct jitdump *d,
				bool is_there, const struct error *why)
{
	struct names_jit j = {
		.number = number,
		.flags = (is_there ? NAMES_FOUND : 0u) | (d->n_bad ? NAMES_UNREAD : 0u) |
			 (d->is_other_clock ? NAMES_OTHER_CLOCK : 0u) |
			 (d->has_lines ? NAMES_HAS_LINES : 0u),
		.line_shift = d->line_shift,
		.why = str_of(why->msg),
	};

	VEC_FOREACH (c, &d->codes) {
		if (!c->sym.v)
			continue;
		j.codes.n++;
		*VEC_PUSH(&n->jit_codes) = (struct names_jit_code){
			.start = c->start,
			.size = c->end - c->start,
			.from_ns = c->from_ns,
			.until_ns = c->until_ns,
			.order = c->order,
			.name = jitdump_name(d, c->name),
			.lines = { .n = c->n_lines },
		};
		for (uint32_t i = 0; i < c->n_lines; i++) {
			const struct jit_line *l = &d->lines.data[c->first_line + i];

			*VEC_PUSH(&n->jit_lines) =
				(struct names_jit_line){ l->offset, l->line,
							 jitdump_name(d, l->file) };
		}
	}
	*VEC_PUSH(&n->jits) = j;
}

void resolver_collect_names(struct resolver *r)
{
	struct names *n = r->options.collected;

	names_collect_kernel(r, n);
	VEC_FOREACH (m, &r->modules)
		names_collect_module(r, m, n);
	resolver_jit_collect(r, n);
}
