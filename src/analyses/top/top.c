/* SPDX-License-Identifier: MIT */
#include "analyses/top/top.h"

#include "analyses/categories.h"
#include "analyses/top/top_build.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "transform/select.h"

#include <math.h>

static bool top_symbol_passes(struct top_build *b, sym_id sym)
{
	uint8_t *seen;

	if (b->spec->symbols.n == 0)
		return true;
	if (sym.v >= b->sym_passes.len) {
		size_t old = b->sym_passes.len;

		VEC_RESERVE(&b->sym_passes, b->symbols->rows.len);
		b->sym_passes.len = b->symbols->rows.len;
		memset(b->sym_passes.data + old, 0, b->sym_passes.len - old);
	}
	seen = &b->sym_passes.data[sym.v];
	if (*seen == 0)
		*seen = name_list_has(b->spec->symbols, symbols_name(b->symbols, sym)) ||
					name_list_has(b->spec->symbols,
						      symbols_canonical(b->symbols, sym))
				? 2
				: 1;
	return *seen == 2;
}

static bool top_category_passes(struct top_build *b, sym_id sym)
{
	category_id id;

	if (b->spec->categories.n == 0)
		return true;
	id = category_of(b->cats, b->symbols, sym);
	for (size_t i = 0; i < b->spec->categories.n; i++) {
		if (category_is_in(id, b->spec->categories.names[i]))
			return true;
	}
	return name_list_has(b->spec->categories, str_of(category_name(id)));
}

bool top_passes(struct top_build *b, const struct top_item *item)
{
	const struct top_spec *s = b->spec;

	if (!b->filters)
		return true;
	if (s->comms.n && !name_list_has(s->comms, strings_get(b->strings, item->comm)))
		return false;
	if (s->dsos.n && !name_list_has_module(s->dsos, strings_get(b->strings, item->dso)))
		return false;
	return top_symbol_passes(b, item->sym) && top_category_passes(b, item->sym);
}

static uint32_t top_place(const struct profile *p, uint32_t cpu, bool is_node)
{
	uint16_t place;

	if (cpu >= p->cpus.len)
		return INDEX_NONE;
	place = is_node ? p->cpus.data[cpu].node : p->cpus.data[cpu].socket;
	return place == UINT16_MAX ? INDEX_NONE : place;
}

/*
 * The command with "<N>" instead of each number, as with perf's sort key comm_nodigit: "worker-<N>"
 * for "worker-12". The last result is cached, because successive samples often have the same
 * command.
 */
static uint32_t top_comm_nodigit(struct top_build *b, str_id comm)
{
	struct str name = strings_get(b->strings, comm);
	char text[256];
	size_t n = 0;

	if (b->nodigit_of.v == comm.v && b->nodigit.v)
		return b->nodigit.v;
	for (size_t i = 0; i < name.len && n + 3 < sizeof(text); i++) {
		if (name.p[i] < '0' || name.p[i] > '9') {
			text[n++] = name.p[i];
		} else if (i == 0 || name.p[i - 1] < '0' || name.p[i - 1] > '9') {
			memcpy(text + n, "<N>", 3);
			n += 3;
		}
	}
	b->nodigit_of = comm;
	b->nodigit = strings_add(&b->capture->dossier->strings, (struct str){ text, n });
	return b->nodigit.v;
}

static uint32_t top_key_of(struct top_build *b, size_t key, const struct top_item *item)
{
	struct top_column column = b->top->keys[key];
	const struct symbol *sym = symbols_get(b->symbols, item->sym);

	switch (column.key) {
	case TOP_COMM:
		return item->comm.v;
	case TOP_COMM_NODIGIT:
		return top_comm_nodigit(b, item->comm);
	case TOP_DSO:
		return item->dso.v;
	case TOP_SYM:
		return item->sym.v;
	case TOP_CANONICAL:
		return sym->canonical.v;
	case TOP_PID:
		return item->pid;
	case TOP_TID:
		return item->tid;
	case TOP_CPU:
		return item->cpu;
	case TOP_SPACE:
		return sym->space;
	case TOP_CATEGORY:
		return category_of(b->cats, b->symbols, item->sym).v;
	case TOP_SOCKET:
	case TOP_NODE:
		return top_place(b->profile, item->cpu, column.key == TOP_NODE);
	case TOP_SRCLINE:
		return sym->place.v;
	case TOP_SRCFILE:
		return sym->place.v ? sym->file.v : 0;
	case TOP_FIELD:
		if (b->top->source == TOP_FROM_SAMPLES)
			return item->fields[key];
		__attribute__((fallthrough));
	case TOP_EXTRA:
		if (item->extra == INDEX_NONE)
			return 0;
		return b->profile->table.extra_cells.data[item->extra + column.extra].v;
	default:
		return 0;
	}
}

static uint32_t top_new_row(struct top *t, const uint32_t keys[TOP_MAX_KEYS])
{
	struct top_row *row = VEC_PUSH(&t->rows);

	memset(row, 0, sizeof(*row));
	memcpy(row->keys, keys, sizeof(row->keys));
	row->first_row = INDEX_NONE;
	return (uint32_t)t->rows.len - 1;
}

uint32_t top_new_group(struct top_build *b, const struct top_item *item)
{
	uint32_t keys[TOP_MAX_KEYS] = { 0 };

	for (size_t i = 0; i < b->top->n_keys; i++)
		keys[i] = top_key_of(b, i, item);
	return top_new_row(b->top, keys);
}

uint32_t top_group(struct top_build *b, const struct top_item *item)
{
	struct top *t = b->top;
	uint32_t keys[TOP_MAX_KEYS] = { 0 };
	uint64_t hash = 0;
	struct idmap_probe p;

	for (size_t i = 0; i < t->n_keys; i++) {
		keys[i] = top_key_of(b, i, item);
		hash = hash_u64(hash, keys[i] + i);
	}
	if (!b->spec->keep_rows || t->source == TOP_FROM_SAMPLES) {
		p = idmap_first(&b->groups, hash);
		while (idmap_next(&b->groups, &p)) {
			if (memcmp(t->rows.data[p.id].keys, keys, sizeof(keys)) == 0)
				return p.id;
		}
		idmap_insert(&b->groups, &p, (uint32_t)t->rows.len);
	}
	return top_new_row(t, keys);
}

double top_pct(const struct top *t, double weight, double whole)
{
	if (t->unit == WEIGHT_PERCENT) {
		double scale = 1;

		for (unsigned int i = 0; i < t->decimals; i++)
			scale *= 10;
		return weight / scale;
	}
	return whole > 0 ? 100 * weight / whole : 0;
}

/* Remove the rows below the percent limit, and add them to top.hidden. */
static void top_hide(struct top *t, const struct top_spec *spec)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->rows.len; i++) {
		struct top_row *r = &t->rows.data[i];
		double pct = r->has_children && !spec->sort_by_self ? r->children_pct : r->self_pct;

		if (pct >= spec->percent_limit) {
			t->rows.data[kept++] = *r;
			continue;
		}
		t->hidden_rows++;
		t->hidden += r->self;
		t->hidden_err += r->self_err;
	}
	t->rows.len = kept;
}

/*
 * Convert percentages of the whole profile to percentages of the filtered samples, as perf does
 * with --percentage relative.
 */
static void top_make_relative(struct top *t)
{
	double factor = t->total_pct > 0 ? 100 / t->total_pct : 0;

	VEC_FOREACH (r, &t->rows) {
		r->self_pct *= factor;
		r->self_err *= factor;
		r->children_pct *= factor;
		r->children_err *= factor;
	}
	t->total_pct *= factor;
	t->total_err *= factor;
}

/* The columns in which at least one row of the printed table has a value, as a set of ROW_HAS_*. */
static unsigned int top_columns(const struct profile_table *t)
{
	unsigned int has = t->columns;

	VEC_FOREACH (r, &t->rows)
		has |= r->has;
	return has;
}

static bool top_wants(const struct top_spec *spec, enum top_key key)
{
	for (size_t i = 0; i < spec->n_keys; i++) {
		if (spec->keys[i].key == key)
			return true;
	}
	return false;
}

static enum top_source top_choose(const struct profile *p, const struct top_spec *spec)
{
	bool has_rows = p->table.rows.len > 0;
	bool has_samples = p->samples.n > 0;

	if (spec->source != TOP_AUTO)
		return spec->source;
	if (!has_rows || !has_samples)
		return has_rows ? TOP_FROM_ROWS : TOP_FROM_SAMPLES;
	if (spec->under.len)
		return TOP_FROM_SAMPLES;
	if (p->recovery != RECOVERY_EXACT || spec->n_keys == 0 || top_wants(spec, TOP_SYM) ||
	    top_wants(spec, TOP_EXTRA))
		return TOP_FROM_ROWS;
	return TOP_FROM_SAMPLES;
}

static int top_check_rows(const struct profile *p, const struct top_spec *spec, struct error *err)
{
	unsigned int has = top_columns(&p->table);
	static const struct {
		enum top_key key;
		unsigned int bit;
		const char *what;
	} needs[] = {
		{ TOP_COMM, ROW_HAS_COMM, "commands" },
		{ TOP_COMM_NODIGIT, ROW_HAS_COMM, "commands" },
		{ TOP_DSO, ROW_HAS_DSO, "shared objects" },
		{ TOP_SYM, ROW_HAS_SYMBOL, "symbols" },
		{ TOP_CANONICAL, ROW_HAS_SYMBOL, "symbols" },
		{ TOP_SPACE, ROW_HAS_SYMBOL, "symbols" },
		{ TOP_CATEGORY, ROW_HAS_SYMBOL, "symbols" },
		{ TOP_PID, ROW_HAS_PID, "process ids" },
		{ TOP_CPU, ROW_HAS_CPU, "CPUs" },
		{ TOP_TID, 0, "thread ids" },
		{ TOP_SOCKET, 0, "sockets" },
		{ TOP_NODE, 0, "memory nodes" },
	};

	if (p->table.rows.len == 0)
		return fail(err, ERR_USAGE, "this capture has no printed rows");
	if (spec->under.len)
		return fail(err, ERR_USAGE, "a printed report without samples has no callees");
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		if (top_wants(spec, needs[i].key) && !(has & needs[i].bit))
			return fail(err, ERR_USAGE, "this report has no column of %s",
				    needs[i].what);
	}
	if (spec->comms.n && !(has & ROW_HAS_COMM))
		return fail(err, ERR_USAGE, "this report has no column of commands");
	if (spec->dsos.n && !(has & ROW_HAS_DSO))
		return fail(err, ERR_USAGE, "this report has no column of shared objects");
	if (spec->rows && (spec->rows->times.len || spec->rows->numbers[SELECT_TID].len))
		return fail(err, ERR_USAGE, "a printed report does not say %s its samples are",
			    spec->rows->times.len ? "when" : "of which threads");
	if (spec->rows && spec->rows->numbers[SELECT_PID].len && !(has & ROW_HAS_PID))
		return fail(err, ERR_USAGE, "this report has no column of process ids");
	if (spec->rows && spec->rows->numbers[SELECT_CPU].len && !(has & ROW_HAS_CPU))
		return fail(err, ERR_USAGE, "this report has no column of CPUs");
	for (size_t i = 0; i < spec->n_keys; i++) {
		if (spec->keys[i].key == TOP_EXTRA &&
		    spec->keys[i].extra >= p->table.extra_columns.len)
			return fail(err, ERR_USAGE, "this report has no such column");
	}
	return OK;
}

/* Whether at least one symbol of the dossier has a source line (symbol.place). */
static bool top_has_places(const struct capture *c)
{
	VEC_FOREACH (s, &capture_symbols(c)->rows) {
		if (s->place.v)
			return true;
	}
	return false;
}

static int top_check_samples(const struct capture *c, const struct top_spec *spec,
			     struct error *err)
{
	const struct profile *p = c->profile;

	if (p->samples.n == 0 && !p->is_selected)
		return fail(err, ERR_USAGE, "this capture has no samples");
	if (top_wants(spec, TOP_EXTRA))
		return fail(err, ERR_USAGE, "samples have no printed columns");
	if (p->samples.n && (top_wants(spec, TOP_PID) || top_wants(spec, TOP_TID)) &&
	    p->samples.thread.len == 0)
		return fail(err, ERR_USAGE, "the samples have no process or thread ids");
	if ((top_wants(spec, TOP_SOCKET) || top_wants(spec, TOP_NODE)) && p->cpus.len == 0)
		return fail(err, ERR_USAGE, "the recording has no CPU topology");
	if (p->samples.n && p->samples.cpu.len == 0 &&
	    (top_wants(spec, TOP_CPU) || top_wants(spec, TOP_SOCKET) || top_wants(spec, TOP_NODE)))
		return fail(err, ERR_USAGE, "the samples have no CPU");
	if (p->samples.n && (top_wants(spec, TOP_SRCLINE) || top_wants(spec, TOP_SRCFILE)) &&
	    !top_has_places(c))
		return fail(
			err, ERR_USAGE,
			"source lines need a perf.data file and programs with debug information");
	return OK;
}

/*
 * Use the default keys comm, dso and symbol, except those that are missing in the samples or
 * printed rows.
 */
static void top_default_keys(const struct profile *p, struct top *t)
{
	unsigned int has = t->source == TOP_FROM_ROWS ? top_columns(&p->table)
						      : ROW_HAS_COMM | ROW_HAS_DSO | ROW_HAS_SYMBOL;

	if (has & ROW_HAS_COMM)
		t->keys[t->n_keys++].key = TOP_COMM;
	if (has & ROW_HAS_DSO)
		t->keys[t->n_keys++].key = TOP_DSO;
	if (has & ROW_HAS_SYMBOL)
		t->keys[t->n_keys++].key = TOP_SYM;
}

/*
 * Replace the key @key by a printed column: if the table is made from printed rows, source lines
 * and source files are in columns of their own.
 */
static struct top_column top_column_of(const struct top_column *key, enum top_source source)
{
	struct top_column column = *key;

	if (source == TOP_FROM_ROWS && (key->key == TOP_SRCLINE || key->key == TOP_SRCFILE)) {
		column.key = TOP_FIELD;
		column.name = key->key == TOP_SRCLINE ? STR("Source:Line") : STR("Source File");
	}
	return column;
}

/*
 * Find the column or sample field with the name column->name. Store its index in column->extra.
 * False: there is none.
 */
static bool top_find_field(const struct capture *c, enum top_source source,
			   struct top_column *column)
{
	const struct strings *strings = capture_strings(c);
	const struct profile *p = c->profile;
	uint32_t n = (uint32_t)(source == TOP_FROM_ROWS ? p->table.extra_columns.len
							: p->samples.fields.len);

	for (uint32_t i = 0; i < n; i++) {
		str_id name = source == TOP_FROM_ROWS ? p->table.extra_columns.data[i]
						      : p->samples.fields.data[i].name;

		if (str_eq_nocase(strings_get(strings, name), column->name)) {
			column->extra = i;
			return true;
		}
	}
	return false;
}

/* Append the names of all columns or sample fields to @known: " (prev_comm, prev_pid)". */
static void top_known_fields(const struct capture *c, enum top_source source, struct out *known)
{
	const struct strings *strings = capture_strings(c);
	const struct profile *p = c->profile;

	if (source == TOP_FROM_ROWS) {
		VEC_FOREACH (name, &p->table.extra_columns)
			out_printf(known, "%s" STR_FMT, known->len ? ", " : " (",
				   STR_ARG(strings_get(strings, *name)));
	} else {
		VEC_FOREACH (f, &p->samples.fields)
			out_printf(known, "%s" STR_FMT, known->len ? ", " : " (",
				   STR_ARG(strings_get(strings, f->name)));
	}
	if (known->len)
		out_char(known, ')');
}

static int top_check_fields(const struct capture *c, enum top_source source,
			    const struct top_spec *spec, struct error *err)
{
	static const char *const words[] = { "comm",    "dso",         "sym",      "canonical",
					     "pid",     "tid",         "cpu",      "socket",
					     "node",    "space",       "category", "srcline",
					     "srcfile", "comm_nodigit" };
	struct out known = { .fd = -1 };
	struct suggest like;

	for (size_t i = 0; i < spec->n_keys; i++) {
		struct top_column column = top_column_of(&spec->keys[i], source);

		if (column.key != TOP_FIELD || top_find_field(c, source, &column))
			continue;
		suggest_init(&like, column.name);
		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			suggest_try(&like, str_of(words[k]));
		top_known_fields(c, source, &known);
		(void)fail(err, ERR_USAGE,
			   "--sort does not know '" STR_FMT "'%s%s: it is none of comm, dso, sym, "
			   "canonical, pid, tid, cpu, socket, node, space, category, srcline, "
			   "srcfile, comm_nodigit, and no "
			   "%s" STR_FMT,
			   STR_ARG(column.name), like.best[0] ? "; did you mean " : "", like.best,
			   source == TOP_FROM_ROWS ? "column of this report"
						   : "field of the samples",
			   STR_ARG(out_view(&known)));
		out_fini(&known);
		return ERR_USAGE;
	}
	return OK;
}

int top_check(const struct capture *c, const struct top_spec *spec, struct error *err)
{
	const struct profile *p = c->profile;
	enum top_source source;
	int r;

	if (!p || (p->samples.n == 0 && p->table.rows.len == 0 && !p->is_selected))
		return fail(err, ERR_USAGE, "this capture has no samples and no printed rows");
	if (spec->n_keys > TOP_MAX_KEYS)
		return fail(err, ERR_USAGE, "more than %u sort keys", TOP_MAX_KEYS);
	source = top_choose(p, spec);
	r = source == TOP_FROM_ROWS ? top_check_rows(p, spec, err)
				    : top_check_samples(c, spec, err);
	return r < 0 ? r : top_check_fields(c, source, spec, err);
}

int top_compute(const struct capture *c, struct category_cache *cats, const struct top_spec *spec,
		struct top *ret, struct error *err)
{
	struct top_build b = { .capture = c, .profile = c->profile, .cats = cats, .spec = spec };
	int r;

	memset(ret, 0, sizeof(*ret));
	r = top_check(c, spec, err);
	if (r < 0)
		return r;
	ret->source = top_choose(c->profile, spec);
	memcpy(ret->keys, spec->keys, sizeof(ret->keys));
	ret->n_keys = spec->n_keys;
	if (ret->n_keys == 0)
		top_default_keys(c->profile, ret);
	for (size_t i = 0; i < ret->n_keys; i++) {
		ret->keys[i] = top_column_of(&ret->keys[i], ret->source);
		if (ret->keys[i].key == TOP_FIELD)
			(void)top_find_field(c, ret->source, &ret->keys[i]);
	}
	b.strings = capture_strings(c);
	b.symbols = capture_symbols(c);
	b.top = ret;
	b.filters = spec->comms.n || spec->dsos.n || spec->symbols.n || spec->categories.n;
	if (ret->source == TOP_FROM_ROWS)
		top_fill_from_rows(&b);
	else
		top_fill_from_samples(&b);
	if (spec->relative)
		top_make_relative(ret);
	top_hide(ret, spec);
	top_sort(c, ret, ret->has_children && !spec->sort_by_self, !spec->is_unnamed);
	idmap_fini(&b.groups);
	VEC_FREE(&b.sym_passes);
	return OK;
}

int top_by(const struct capture *c, struct category_cache *cats, enum top_key key, struct top *ret,
	   struct error *err)
{
	struct top_spec spec = { .n_keys = 1, .sort_by_self = true };

	spec.keys[0].key = key;
	return top_compute(c, cats, &spec, ret, err);
}

void top_fini(struct top *t)
{
	VEC_FREE(&t->rows);
	memset(t, 0, sizeof(*t));
}
