/* SPDX-License-Identifier: MIT */
/*
 * show_group.c - the events of a recording side by side, like perf report --group
 *
 * Rows of different events are joined if their keys are equal. A name has the same id in all
 * captures of a dossier, so keys are compared as numbers.
 */
#include "cmds/show/profile/show_profile.h"

#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "render/view.h"

#include <stdio.h>

#define GROUP_MAX_EVENTS 32u

struct group_row {
	/* row of `event`, which is the first event that has a row with these keys */
	const struct top_row *row;
	uint32_t event;
	struct top_share shares[GROUP_MAX_EVENTS];
	uint64_t samples[GROUP_MAX_EVENTS];
};

struct group {
	uint32_t captures[GROUP_MAX_EVENTS];
	struct top tops[GROUP_MAX_EVENTS];
	char keys[2 * GROUP_MAX_EVENTS][24]; /* names of the columns in JSON and CSV */
	const char *titles[GROUP_MAX_EVENTS];
	size_t n; /* number of events */
	VEC(struct group_row) rows;
	struct idmap map;
};

static void group_add(struct group *g, uint32_t event, const struct top_row *row)
{
	uint64_t hash = 0;
	struct idmap_probe p;
	struct group_row *r;

	for (size_t i = 0; i < TOP_MAX_KEYS; i++)
		hash = hash_u64(hash, row->keys[i] + i);
	p = idmap_first(&g->map, hash);
	while (idmap_next(&g->map, &p)) {
		r = &g->rows.data[p.id];
		if (memcmp(r->row->keys, row->keys, sizeof(row->keys)) == 0) {
			r->shares[event].pct = row->self_pct;
			r->samples[event] = row->samples;
			return;
		}
	}
	idmap_insert(&g->map, &p, (uint32_t)g->rows.len);
	r = VEC_PUSH(&g->rows);
	memset(r, 0, sizeof(*r));
	r->row = row;
	r->event = event;
	r->shares[event].pct = row->self_pct;
	r->samples[event] = row->samples;
}

/*
 * Order of rows for qsort_r(): by the share of the first event. If these are equal, by the share of
 * the second event, and so on; finally by the original order.
 */
static int group_compare(const void *pa, const void *pb, void *context)
{
	const struct group *g = context;
	const struct group_row *a = pa;
	const struct group_row *b = pb;

	for (size_t i = 0; i < g->n; i++) {
		if (a->shares[i].pct != b->shares[i].pct)
			return a->shares[i].pct < b->shares[i].pct ? 1 : -1;
	}
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void group_fini(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		top_fini(&g->tops[i]);
	VEC_FREE(&g->rows);
	idmap_fini(&g->map);
}

static void group_head(struct show *s, const struct group *g)
{
	struct dossier *d = s->session->dossier;
	const struct capture *first = d->captures.data[g->captures[0]];

	view_heading(s->v, show_string(s, first->path), "%zu events side by side", g->n);
	show_source(s, first);
	view_list(s->v, "events");
	for (size_t i = 0; i < g->n; i++) {
		const struct profile *p = d->captures.data[g->captures[i]]->profile;

		view_object(s->v, NULL, NULL);
		view_field(s->v, "event", NULL, show_name(s, p->event));
		view_field(s->v, "samples", NULL, cell_count(p->n_samples));
		view_field(s->v, "event_count", NULL,
			   p->has_event_count ? cell_count(p->event_count) : cell_none());
		view_object_end(s->v);
		view_line(s->v, i ? NULL : "Events", STR_FMT ": " STR_FMT,
			  STR_ARG(show_string(s, p->event)),
			  STR_ARG(show_plural(s, p->n_samples, "sample", "samples")));
	}
	view_list_end(s->v);
}

static void group_table(struct show *s, struct group *g)
{
	const struct capture *first = s->session->dossier->captures.data[g->captures[0]];
	struct profile_columns cols = { .n = 0 };
	struct view_table table = { .key = "rows", .is_main = true };
	size_t n = g->n;

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(g->keys[i], sizeof(g->keys[i]), i ? "self_%zu" : "self", i + 1);
		show_profile_column(&cols, g->keys[i], g->titles[i], COLUMN_HEAT);
	}
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(g->keys[n + i], sizeof(g->keys[i]), i ? "samples_%zu" : "samples",
			       i + 1);
		show_profile_column(&cols, g->keys[n + i], NULL, 0);
	}
	show_profile_key_columns(s, first, &g->tops[0], &cols);
	table.columns = cols.columns;
	table.n_columns = cols.n;
	view_table(s->v, &table);
	VEC_FOREACH (row, &g->rows) {
		struct cell cells[ARRAY_LEN(cols.columns)];
		unsigned int k = 0;

		for (size_t i = 0; i < n; i++)
			cells[k++] = cell_real(row->shares[i].pct, 2);
		for (size_t i = 0; i < n; i++)
			cells[k++] = cell_count(row->samples[i]);
		(void)show_profile_key_cells(s, first, &g->tops[row->event], row->row, cells + k);
		view_row(s->v, cells);
		arena_clear(&s->scratch);
	}
	view_table_end(s->v);
}

/* Print a table for the events of the input to which capture @first belongs. */
static int group_show(struct show *s, uint32_t first, struct error *err)
{
	struct dossier *d = s->session->dossier;
	struct top_spec spec = s->profile->spec;
	struct group g = { .n = 0 };
	int r = OK;

	spec.no_children = true;
	spec.sort_by_self = true;
	spec.percent_limit = 0;
	for (uint32_t i = first; i < d->captures.len && g.n < GROUP_MAX_EVENTS && r == OK; i++) {
		const struct capture *c = d->captures.data[i];

		if (c->path.v != d->captures.data[first]->path.v || !c->profile ||
		    c->profile->table.rows.len || c->excerpt_of != INDEX_NONE)
			continue;
		r = top_compute(c, &s->session->cats, &spec, &g.tops[g.n], err);
		if (r < 0)
			break;
		g.captures[g.n] = i;
		g.titles[g.n] = show_string(s, c->profile->event).p;
		g.n++;
	}
	for (uint32_t i = 0; i < g.n && r == OK; i++) {
		VEC_FOREACH (row, &g.tops[i].rows)
			group_add(&g, i, row);
	}
	if (r == OK) {
		if (g.rows.len)
			qsort_r(g.rows.data, g.rows.len, sizeof(*g.rows.data), group_compare, &g);
		view_object(s->v, NULL, NULL);
		view_field(s->v, "kind", NULL, cell_word("profile"));
		view_field(s->v, "format", NULL, cell_word(d->captures.data[first]->format));
		group_head(s, &g);
		group_table(s, &g);
		view_object_end(s->v);
	}
	group_fini(&g);
	return r;
}

int show_groups(struct show *s, struct error *err)
{
	struct dossier *d = s->session->dossier;
	int r = OK;

	for (uint32_t i = 0; i < d->captures.len && r == OK; i++) {
		const struct capture *c = d->captures.data[i];
		bool is_first = c->profile && c->profile->table.rows.len == 0;

		for (uint32_t k = 0; k < i && is_first; k++)
			is_first = !d->captures.data[k]->profile ||
				   d->captures.data[k]->path.v != c->path.v;
		if (is_first)
			r = group_show(s, i, err);
	}
	return r;
}
