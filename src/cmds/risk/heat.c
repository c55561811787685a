/* SPDX-License-Identifier: MIT */
/* heat.c - match the functions of a profile with those of a source tree */
#include "cmds/risk/heat.h"

#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/risk/sources.h"
#include "cmds/run/session.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "metrics/code/c_files.h"

#include <math.h>
#include <stdlib.h>

static void heat_index(struct function_index *x, const struct risk_tree *t)
{
	VEC_FOREACH (f, &t->functions) {
		const struct indexed_function one = {
			.name = f->name,
			.file = t->files.data[f->file].path,
			.first_line = f->head_line,
			.last_line = f->last_line,
			.is_syscall = f->entry == ENTRY_SYSCALL,
			.is_by_macro = f->macro.len > 0,
		};

		function_index_add(x, &one);
	}
}

static void heat_add(struct heat *h, const struct function_matches *m, const struct top_row *r)
{
	VEC_FOREACH (row, &m->rows) {
		struct heat_cell *c = &h->cells.data[*row];
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
		if (m->rows.len > c->shared)
			c->shared = (uint32_t)m->rows.len;
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
	struct function_index index = { .functions = VEC_INIT };
	struct function_matches found = { .rows = VEC_INIT };
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
	heat_index(&index, t);
	VEC_FOREACH (row, &top.rows) {
		sym_id sym = { row->keys[0] };

		function_index_find(&index, &s->dossier->symbols, sym, &found);
		ret->total += row->self_pct;
		if (found.rows.len == 0) {
			*VEC_PUSH(&ret->unmatched) = (struct heat_unmatched){ sym, row->self_pct };
			continue;
		}
		ret->matched += row->self_pct;
		if (found.is_by_place)
			ret->matched_by_place += row->self_pct;
		heat_add(ret, &found, row);
	}
	VEC_SORT(&ret->unmatched, heat_more);
	top_fini(&top);
	function_matches_fini(&found);
	function_index_fini(&index);
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

	*ret = (struct heat_sources){ .n_met = 0 };
	if (r == OK && files.paths.len == 0)
		r = sources_none(&files, path, err);
	if (r == OK)
		r = risk_measure(&files, &options, &ret->tree, err);
	if (r == OK) {
		sources_report_unread(&files, ret->tree.n_unreadable);
		sources_report_cxx(ret->tree.n_cxx);
	}
	c_file_list_fini(&files);
	if (r < 0)
		return r;
	heat_index(&ret->index, &ret->tree);
	return OK;
}

void heat_sources_join(struct heat_sources *s, const struct symbols *symbols)
{
	struct function_matches found = { .rows = VEC_INIT };

	free(s->met);
	s->n_met = symbols->rows.len;
	s->met = xcalloc(s->n_met + 1, sizeof(*s->met));
	for (size_t i = 0; i < s->n_met; i++) {
		struct heat_met *m = &s->met[i];

		function_index_find(&s->index, symbols, (sym_id){ (uint32_t)i }, &found);
		m->alike = (uint32_t)found.rows.len;
		/* if several functions match, choose the riskiest */
		VEC_FOREACH (row, &found.rows) {
			if (row == found.rows.data ||
			    s->tree.functions.data[*row].rank < s->tree.functions.data[m->row].rank)
				m->row = *row;
		}
	}
	function_matches_fini(&found);
}

const struct risk_function *heat_sources_find(const struct heat_sources *s, sym_id sym,
					      uint32_t *ret_alike)
{
	if (sym.v >= s->n_met || s->met[sym.v].alike == 0)
		return NULL;
	*ret_alike = s->met[sym.v].alike;
	return &s->tree.functions.data[s->met[sym.v].row];
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
	function_index_fini(&s->index);
	free(s->met);
	risk_tree_fini(&s->tree);
}
