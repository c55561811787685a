/* SPDX-License-Identifier: MIT */
/*
 * names.c - write and read the section with names of functions (names.h)
 *
 * Each table has one function that lists its fields. The same function writes the fields if there
 * is an output, and otherwise reads them.
 */
#include "symbols/names.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/lines/lines.h"

#include <stdlib.h>

#define NAMES_VERSION 1u

struct wire {
	struct out *out; /* output; NULL: read from @in */
	struct str in;
	bool is_bad;
	VEC(struct str) texts;
	struct idmap texts_map; /* text -> its index in `texts`; used only for writing */
	/*
	 * number of rows of names.symbols, frames, jit_codes and jit_lines that were assigned to a
	 * row of another table so far (wire_part())
	 */
	uint32_t symbols, frames, codes, jit_lines;
};

void names_fini(struct names *n)
{
	VEC_FREE(&n->kernels);
	VEC_FREE(&n->modules);
	VEC_FREE(&n->symbols);
	VEC_FREE(&n->lines);
	VEC_FREE(&n->frames);
	VEC_FREE(&n->leaves);
	VEC_FREE(&n->jits);
	VEC_FREE(&n->jit_codes);
	VEC_FREE(&n->jit_lines);
}

static void wire_put(struct out *o, uint64_t v)
{
	while (v >= 0x80) {
		out_char(o, (char)(v | 0x80));
		v >>= 7;
	}
	out_char(o, (char)v);
}

static uint64_t wire_get(struct wire *w)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64 && w->in.len; shift += 7) {
		uint8_t byte = (uint8_t)w->in.p[0];

		w->in = str_skip(w->in, 1);
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	w->is_bad = true;
	return 0;
}

static void wire_u64(struct wire *w, uint64_t *v)
{
	if (w->out)
		wire_put(w->out, *v);
	else
		*v = wire_get(w);
}

static void wire_u32(struct wire *w, uint32_t *v)
{
	uint64_t wide = *v;

	wire_u64(w, &wide);
	w->is_bad |= wide > UINT32_MAX;
	*v = (uint32_t)wide;
}

static uint32_t wire_intern(struct wire *w, struct str s)
{
	struct idmap_probe p = idmap_first(&w->texts_map, hash_str(s));

	while (idmap_next(&w->texts_map, &p)) {
		if (str_eq(w->texts.data[p.id], s))
			return p.id;
	}
	idmap_insert(&w->texts_map, &p, (uint32_t)w->texts.len);
	*VEC_PUSH(&w->texts) = s;
	return (uint32_t)w->texts.len - 1;
}

static void wire_str(struct wire *w, struct str *s)
{
	uint64_t row;

	if (w->out) {
		wire_put(w->out, wire_intern(w, *s));
		return;
	}
	row = wire_get(w);
	w->is_bad |= row >= w->texts.len;
	*s = w->is_bad ? STR_NONE : w->texts.data[row];
}

/*
 * Write or read the number of rows of a table. The section is damaged if the number exceeds the
 * number of unread bytes, because a row has at least one byte.
 */
static size_t wire_rows(struct wire *w, size_t n)
{
	uint64_t rows = n;

	wire_u64(w, &rows);
	if (!w->out && rows > w->in.len)
		w->is_bad = true;
	return w->is_bad ? 0 : (size_t)rows;
}

/*
 * Write or read @rows, a range of rows of another table that belong to the current row. Only the
 * number of rows is stored, because each range starts where the previous one ends. *@next: index of
 * the first row of this range; set to the index of the first row of the next range.
 */
static void wire_part(struct wire *w, struct names_rows *rows, uint32_t *next)
{
	wire_u32(w, &rows->n);
	w->is_bad |= rows->n > UINT32_MAX - *next;
	rows->first = *next;
	*next += w->is_bad ? 0 : rows->n;
}

/*
 * Write or read all rows of the table @v. @it: name of the variable that points to the row;
 * @fields: statements that write or read the fields of the row. Stops at damaged data.
 */
#define WIRE_EACH(w, v, it, fields)                                     \
	do {                                                            \
		size_t rows_ = wire_rows((w), (v)->len);                \
		for (size_t i_ = 0; i_ < rows_ && !(w)->is_bad; i_++) { \
			__typeof__((v)->data) it;                       \
			if (!(w)->out)                                  \
				memset(VEC_PUSH(v), 0, sizeof(*it));    \
			it = &(v)->data[i_];                            \
			fields;                                         \
		}                                                       \
	} while (0)

static void wire_kernels(struct wire *w, struct names *n)
{
	wire_str(w, &n->kernel_why);
	wire_u64(w, &n->marks.text);
	wire_u64(w, &n->marks.etext);
	wire_u64(w, &n->marks.init_text);
	wire_u64(w, &n->marks.init_end);
	wire_u32(w, &n->n_unread);
	WIRE_EACH(w, &n->kernels, k, {
		wire_str(w, &k->name);
		wire_part(w, &k->symbols, &w->symbols);
	});
}

static void wire_modules(struct wire *w, struct names *n)
{
	WIRE_EACH(w, &n->modules, m, {
		wire_u32(w, &m->number);
		wire_u32(w, &m->flags);
		wire_str(w, &m->path);
		wire_str(w, &m->why);
		wire_part(w, &m->symbols, &w->symbols);
	});
	WIRE_EACH(w, &n->symbols, s, {
		wire_u64(w, &s->start);
		wire_u64(w, &s->size);
		wire_str(w, &s->name);
	});
}

static void wire_lines(struct wire *w, struct names *n)
{
	WIRE_EACH(w, &n->lines, l, {
		wire_u32(w, &l->module);
		wire_u64(w, &l->address);
		wire_part(w, &l->frames, &w->frames);
	});
	WIRE_EACH(w, &n->frames, f, {
		uint32_t is_inlined = f->is_inlined;

		wire_str(w, &f->function);
		wire_str(w, &f->file);
		wire_u32(w, &f->line);
		wire_u32(w, &is_inlined);
		f->is_inlined = is_inlined;
	});
	WIRE_EACH(w, &n->leaves, l, {
		wire_u32(w, &l->module);
		wire_u64(w, &l->offset);
	});
}

static void wire_jits(struct wire *w, struct names *n)
{
	WIRE_EACH(w, &n->jits, j, {
		wire_u32(w, &j->number);
		wire_u32(w, &j->flags);
		wire_u32(w, &j->line_shift);
		wire_str(w, &j->why);
		wire_part(w, &j->codes, &w->codes);
	});
	WIRE_EACH(w, &n->jit_codes, c, {
		wire_u64(w, &c->start);
		wire_u64(w, &c->size);
		wire_u64(w, &c->from_ns);
		wire_u64(w, &c->until_ns);
		wire_u32(w, &c->order);
		wire_str(w, &c->name);
		wire_part(w, &c->lines, &w->jit_lines);
	});
	WIRE_EACH(w, &n->jit_lines, l, {
		wire_u32(w, &l->offset);
		wire_u32(w, &l->line);
		wire_str(w, &l->file);
	});
}

static void wire_all(struct wire *w, struct names *n)
{
	wire_kernels(w, n);
	wire_modules(w, n);
	wire_lines(w, n);
	wire_jits(w, n);
}

static int names_compare_line(const void *a, const void *b)
{
	const struct names_line *x = a;
	const struct names_line *y = b;

	return SORT_ORDER(x->module, y->module) ?: SORT_ORDER(x->address, y->address);
}

static int names_compare_leaf(const void *a, const void *b)
{
	const struct names_leaf *x = a;
	const struct names_leaf *y = b;

	return SORT_ORDER(x->module, y->module) ?: SORT_ORDER(x->offset, y->offset);
}

/*
 * Sort n->lines and n->leaves, remove duplicates, and put the frames into the order of their lines.
 */
static void names_sort(struct names *n)
{
	struct names old = *n;

	memset(&n->lines, 0, sizeof(n->lines));
	memset(&n->frames, 0, sizeof(n->frames));
	memset(&n->leaves, 0, sizeof(n->leaves));
	VEC_SORT(&old.lines, names_compare_line);
	VEC_FOREACH (l, &old.lines) {
		const struct line_frame *frames = old.frames.data + l->frames.first;

		if (l > old.lines.data && !names_compare_line(&l[-1], l))
			continue;
		*VEC_PUSH(&n->lines) = *l;
		VEC_APPEND(&n->frames, frames, l->frames.n);
	}
	VEC_SORT(&old.leaves, names_compare_leaf);
	VEC_FOREACH (l, &old.leaves) {
		if (l == old.leaves.data || names_compare_leaf(&l[-1], l))
			*VEC_PUSH(&n->leaves) = *l;
	}
	VEC_FREE(&old.lines);
	VEC_FREE(&old.frames);
	VEC_FREE(&old.leaves);
}

void names_write(struct names *n, struct out *out)
{
	struct out body;
	struct wire w = { .out = &body };

	out_init(&body);
	names_sort(n);
	wire_all(&w, n);
	wire_put(out, NAMES_VERSION);
	wire_put(out, w.texts.len);
	VEC_FOREACH (t, &w.texts) {
		wire_put(out, t->len);
		out_str(out, *t);
	}
	out_str(out, out_view(&body));
	out_fini(&body);
	VEC_FREE(&w.texts);
	idmap_fini(&w.texts_map);
}

static void names_read_texts(struct wire *w)
{
	uint64_t n = wire_get(w);

	for (uint64_t i = 0; i < n && !w->is_bad; i++) {
		uint64_t len = wire_get(w);

		w->is_bad |= len > w->in.len || len > LIMIT_NAME_BYTES;
		if (w->is_bad)
			break;
		*VEC_PUSH(&w->texts) = str_sub(w->in, 0, (size_t)len);
		w->in = str_skip(w->in, (size_t)len);
	}
}

/* Whether the functions in @rows are in address order; symtab_find() requires this. */
static bool names_are_sorted(const struct names *n, struct names_rows rows)
{
	for (uint32_t i = rows.first; i < rows.first + rows.n; i++) {
		const struct names_symbol *s = &n->symbols.data[i];

		if (s->size > UINT64_MAX - s->start || (i > rows.first && s->start <= s[-1].start))
			return false;
	}
	return true;
}

/*
 * Whether all texts together are within the limit. A text counts once per use, because readers copy
 * it.
 */
static bool names_are_few(const struct names *n)
{
	uint64_t bytes = 0;

	VEC_FOREACH (s, &n->symbols)
		bytes += s->name.len;
	VEC_FOREACH (c, &n->jit_codes)
		bytes += c->name.len;
	VEC_FOREACH (l, &n->jit_lines)
		bytes += l->file.len;
	return bytes <= LIMIT_NAMES_BYTES;
}

/*
 * Whether each row of symbols, frames, jit_codes and jit_lines was assigned to a row of another
 * table (wire_part()). If not, the section is damaged.
 */
static bool names_are_whole(const struct names *n, const struct wire *w)
{
	return w->symbols == n->symbols.len && w->frames == n->frames.len &&
	       w->codes == n->jit_codes.len && w->jit_lines == n->jit_lines.len;
}

/* Whether the tables are sorted, as binary search requires. */
static bool names_are_ordered(const struct names *n)
{
	VEC_FOREACH (k, &n->kernels) {
		if (!names_are_sorted(n, k->symbols))
			return false;
	}
	VEC_FOREACH (m, &n->modules) {
		if (!names_are_sorted(n, m->symbols) ||
		    (m > n->modules.data && m->number <= m[-1].number))
			return false;
	}
	VEC_FOREACH (l, &n->lines) {
		if (l->frames.n > LINES_FRAMES_MAX ||
		    (l > n->lines.data && names_compare_line(&l[-1], l) >= 0))
			return false;
	}
	VEC_FOREACH (l, &n->leaves) {
		if (l > n->leaves.data && names_compare_leaf(&l[-1], l) >= 0)
			return false;
	}
	VEC_FOREACH (j, &n->jits) {
		if (j > n->jits.data && j->number <= j[-1].number)
			return false;
	}
	VEC_FOREACH (c, &n->jit_codes) {
		if (c->size > UINT64_MAX - c->start)
			return false;
	}
	return true;
}

bool names_read(struct str section, struct names *ret)
{
	struct wire w = { .in = section };

	memset(ret, 0, sizeof(*ret));
	w.is_bad = wire_get(&w) != NAMES_VERSION;
	if (!w.is_bad)
		names_read_texts(&w);
	if (!w.is_bad)
		wire_all(&w, ret);
	VEC_FREE(&w.texts);
	if (!w.is_bad && names_are_whole(ret, &w) && names_are_few(ret) && names_are_ordered(ret))
		return true;
	names_fini(ret);
	memset(ret, 0, sizeof(*ret));
	return false;
}

const struct names_module *names_find_module(const struct names *n, uint32_t number,
					     struct str path)
{
	size_t at = VEC_PARTITION(&n->modules, it, it->number < number);
	const struct names_module *m = at < n->modules.len ? &n->modules.data[at] : NULL;

	return m && m->number == number && str_eq(m->path, path) ? m : NULL;
}

const struct names_line *names_find_line(const struct names *n, uint32_t module, uint64_t address)
{
	struct names_line key = { .module = module, .address = address };
	size_t at = VEC_PARTITION(&n->lines, it, names_compare_line(it, &key) < 0);

	return at < n->lines.len && !names_compare_line(&n->lines.data[at], &key)
		       ? &n->lines.data[at]
		       : NULL;
}

bool names_has_leaf(const struct names *n, uint32_t module, uint64_t offset)
{
	struct names_leaf key = { module, offset };
	size_t at = VEC_PARTITION(&n->leaves, it, names_compare_leaf(it, &key) < 0);

	return at < n->leaves.len && !names_compare_leaf(&n->leaves.data[at], &key);
}
