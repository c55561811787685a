/* SPDX-License-Identifier: MIT */
/* heat.c - joins a profile with the functions of a tree, by name. */
#include "cmds/heat.h"

#include "analyses/stats.h"
#include "analyses/top.h"
#include "base/idmap.h"
#include "cmds/sources.h"

#include <math.h>
#include <stdlib.h>

/* The functions of the tree by name. */
struct heat_names {
	const struct risk_tree *t;
	struct idmap map;      /* of name: the first row with it */
	VEC(uint32_t) next;    /* by row: the next with the same name, UINT32_MAX */
	VEC(uint32_t) n_alike; /* by first row */
};

static uint32_t heat_find(struct heat_names *n, struct str name)
{
	struct idmap_probe p = idmap_first(&n->map, hash_str(name));

	while (idmap_next(&n->map, &p)) {
		if (str_eq(n->t->functions.data[p.id].name, name))
			return p.id;
	}
	return UINT32_MAX;
}

static void heat_index(struct heat_names *n)
{
	for (uint32_t i = 0; i < n->t->functions.len; i++) {
		struct str name = n->t->functions.data[i].name;
		struct idmap_probe p;
		uint32_t first = heat_find(n, name);

		*VEC_PUSH(&n->next) = UINT32_MAX;
		*VEC_PUSH(&n->n_alike) = 1;
		if (first != UINT32_MAX) {
			n->next.data[i] = n->next.data[first];
			n->next.data[first] = i;
			n->n_alike.data[first]++;
			continue;
		}
		p = idmap_first(&n->map, hash_str(name));
		while (idmap_next(&n->map, &p))
			;
		idmap_insert(&n->map, &p, i);
	}
}

/* What a system call's entry is called in the source: the word in SYSCALL_DEFINEn(word, ...). */
static struct str heat_syscall(struct str name)
{
	static const char *const prefixes[] = {
		"__x64_sys_",
		"__ia32_sys_",
		"__arm64_sys_",
		"__s390x_sys_",
		"__riscv_sys_",
		"__se_sys_",
		"__do_sys_",
		"__x64_compat_sys_",
		"__ia32_compat_sys_",
		"__arm64_compat_sys_",
		"__se_compat_sys_",
		"__do_compat_sys_",
		"SyS_",
		"SYSC_",
		"sys_",
		"ksys_",
	};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		if (str_starts(name, str_of(prefixes[i])))
			return str_skip(name, strlen(prefixes[i]));
	}
	return STR_NONE;
}

static uint32_t heat_match(struct heat_names *n, struct str canonical)
{
	uint32_t row = heat_find(n, canonical);
	struct str call;

	if (row != UINT32_MAX && !n->t->functions.data[row].macro.len)
		return row;
	call = heat_syscall(canonical);
	if (!call.len)
		return row;
	for (row = heat_find(n, call); row != UINT32_MAX; row = n->next.data[row]) {
		if (n->t->functions.data[row].entry == ENTRY_SYSCALL)
			return row;
	}
	return UINT32_MAX;
}

static void heat_add(struct heat *h, const struct heat_names *n, uint32_t row,
		     const struct top_row *r)
{
	uint32_t alike = n->n_alike.data[row];

	for (; row != UINT32_MAX; row = n->next.data[row]) {
		struct heat_cell *c = &h->cells.data[row];
		struct interval i = { r->self_pct - r->self_err, r->self_pct + r->self_err };

		h->n_matched += isnan(c->self) ? 1 : 0;
		c->self = (isnan(c->self) ? 0 : c->self) + r->self_pct;
		if (r->has_children)
			c->children = fmax(isnan(c->children) ? 0 : c->children, r->children_pct);
		if (h->n_samples)
			i = stats_wilson(c->self / 100 * (double)h->n_samples, (double)h->n_samples,
					 STATS_Z95);
		c->low = i.low < 0 ? 0 : i.low;
		c->high = i.high;
		c->shared = alike;
	}
}

static int heat_more(const void *a, const void *b)
{
	const struct heat_unmatched *x = a;
	const struct heat_unmatched *y = b;

	return x->self != y->self ? (x->self > y->self ? -1 : 1)
				  : (x->sym.v > y->sym.v) - (x->sym.v < y->sym.v);
}

static int heat_capture(struct session *s, uint32_t *ret)
{
	for (uint32_t i = 0; i < s->dossier->captures.len; i++) {
		if ((s->dossier->captures.data[i]->kinds & KIND_PROFILE) &&
		    s->dossier->captures.data[i]->excerpt_of == INDEX_NONE) {
			*ret = i;
			return OK;
		}
	}
	return ERR_NOTFOUND;
}

int heat_join(struct session *s, const struct risk_tree *t, struct heat *ret, struct error *err)
{
	struct top_spec spec = { .keys = { { TOP_SYM, 0 } }, .n_keys = 1, .sort_by_self = true };
	struct heat_names names = { .t = t };
	const struct capture *c;
	struct top top;
	int r;

	*ret = (struct heat){ .capture = INDEX_NONE };
	if (heat_capture(s, &ret->capture) != OK)
		return fail(err, ERR_USAGE, "none of the captures is a profile");
	c = s->dossier->captures.data[ret->capture];
	r = top_compute(c, &s->cats, &spec, &top, err);
	if (r < 0)
		return r;
	if (c->profile->has_n_samples)
		ret->n_samples = c->profile->n_samples;
	VEC_RESERVE(&ret->cells, t->functions.len);
	for (uint32_t i = 0; i < t->functions.len; i++)
		*VEC_PUSH(&ret->cells) = (struct heat_cell){ NAN, NAN, NAN, NAN, 0 };
	heat_index(&names);
	VEC_FOREACH (row, &top.rows) {
		sym_id sym = { row->keys[0] };
		uint32_t at = heat_match(&names, symbols_canonical(&s->dossier->symbols, sym));

		ret->total += row->self_pct;
		if (at == UINT32_MAX) {
			*VEC_PUSH(&ret->unmatched) = (struct heat_unmatched){ sym, row->self_pct };
			continue;
		}
		ret->matched += row->self_pct;
		heat_add(ret, &names, at, row);
	}
	if (ret->unmatched.len)
		qsort(ret->unmatched.data, ret->unmatched.len, sizeof(*ret->unmatched.data),
		      heat_more);
	top_fini(&top);
	idmap_fini(&names.map);
	VEC_FREE(&names.next);
	VEC_FREE(&names.n_alike);
	return OK;
}

void heat_fini(struct heat *h)
{
	VEC_FREE(&h->cells);
	VEC_FREE(&h->unmatched);
}

int heat_sources_open(const char *path, bool has_cache, struct heat_sources *ret, struct error *err)
{
	char folder[4096];
	const struct risk_options options = { .cache = sources_cache(has_cache, folder,
								     sizeof(folder)) };
	struct c_file_list files = { .paths = VEC_INIT };
	int r = c_file_list_add(&files, path, err);

	*ret = (struct heat_sources){ .n_row_of = 0 };
	if (r == OK && files.paths.len == 0)
		r = fail(err, ERR_NOTFOUND, "no C file (*.c, *.h) is in '%s'", path);
	if (r == OK)
		r = risk_measure(&files, &options, &ret->tree, err);
	c_file_list_fini(&files);
	if (r < 0)
		return r;
	ret->names = xcalloc(1, sizeof(*ret->names));
	ret->names->t = &ret->tree;
	heat_index(ret->names);
	return OK;
}

/* Of functions of one name the riskiest. */
static uint32_t sources_riskiest(const struct heat_sources *s, uint32_t row)
{
	uint32_t best = row;

	for (; row != UINT32_MAX; row = s->names->next.data[row]) {
		if (s->tree.functions.data[row].rank < s->tree.functions.data[best].rank)
			best = row;
	}
	return best;
}

void heat_sources_join(struct heat_sources *s, const struct symbols *symbols)
{
	free(s->row_of);
	s->n_row_of = symbols->rows.len;
	s->row_of = xmalloc((s->n_row_of + 1) * sizeof(*s->row_of));
	for (size_t i = 0; i < s->n_row_of; i++) {
		sym_id sym = { (uint32_t)i };
		const struct symbol *one = symbols_get(symbols, sym);
		bool is_code = i && one->space != SPACE_COMM && !(one->flags & SYMBOL_ADDRESS);
		uint32_t row = is_code ? heat_match(s->names, symbols_canonical(symbols, sym))
				       : UINT32_MAX;

		/* what heat_match() found may stand in the middle of its namesakes */
		if (row != UINT32_MAX)
			row = heat_find(s->names, s->tree.functions.data[row].name);
		s->row_of[i] = row == UINT32_MAX ? INDEX_NONE : row;
	}
}

const struct risk_function *heat_sources_find(const struct heat_sources *s, sym_id sym,
					      uint32_t *ret_alike)
{
	uint32_t row = sym.v < s->n_row_of ? s->row_of[sym.v] : INDEX_NONE;

	if (row == INDEX_NONE)
		return NULL;
	*ret_alike = s->names->n_alike.data[row];
	return &s->tree.functions.data[sources_riskiest(s, row)];
}

void heat_sources_place(const struct heat_sources *s, const struct risk_function *f, uint32_t alike,
			struct out *out)
{
	out_str(out, s->tree.files.data[f->file].path);
	out_printf(out, ":%u", f->line);
	if (alike > 1)
		out_printf(out, " (1 of %u)", alike);
}

void heat_sources_fini(struct heat_sources *s)
{
	if (s->names) {
		idmap_fini(&s->names->map);
		VEC_FREE(&s->names->next);
		VEC_FREE(&s->names->n_alike);
	}
	free(s->names);
	free(s->row_of);
	risk_tree_fini(&s->tree);
}
