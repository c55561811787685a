/* SPDX-License-Identifier: MIT */
/*
 * Compute the table of a report from printed rows. A printed figure stands for an interval. In a
 * sum, the half-widths of the intervals add up. `children` of different rows overlap and cannot be
 * added. So a row that combines several printed rows has no `children`.
 */
#include "analyses/top/top.h"
#include "analyses/top/top_build.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "transform/select.h"

static struct top_item top_row_item(const struct top_build *b, const struct profile_row *r)
{
	struct top_item item = {
		.sym = r->sym,
		.comm = r->comm,
		.dso = r->dso,
		.pid = r->has & ROW_HAS_PID ? r->pid : INDEX_NONE,
		.tid = INDEX_NONE,
		.cpu = r->has & ROW_HAS_CPU ? r->cpu : INDEX_NONE,
		.extra = r->extra,
	};

	if (item.dso.v == 0)
		item.dso = symbols_get(b->symbols, r->sym)->module;
	return item;
}

static void top_add_row(struct top_build *b, uint32_t number, const struct profile_row *r)
{
	struct top_item item = top_row_item(b, r);
	struct top_row *row;
	uint32_t group;
	bool is_zero = (r->has & ROW_HAS_SELF) && r->self == 0 && b->profile->is_rounded;

	if (!top_passes(b, &item) ||
	    (b->spec->rows && (!select_has_number(b->spec->rows, SELECT_PID, item.pid) ||
			       !select_has_number(b->spec->rows, SELECT_CPU, item.cpu))))
		return;
	/* adding a row may move the array, so take pointers into it only after this call */
	group = top_group(b, &item);
	row = &b->top->rows.data[group];
	if (row->rows++ == 0) {
		row->first_row = number;
		row->line = r->line;
		row->children = r->children;
		row->has_children = r->has & ROW_HAS_CHILDREN;
		row->has_samples = r->has & ROW_HAS_SAMPLES;
	} else {
		row->has_children = false;
		row->has_samples &= (r->has & ROW_HAS_SAMPLES) != 0;
	}
	row->self += r->self;
	row->samples += r->samples;
	row->zero_rows += is_zero;
	b->top->total += r->self;
	b->top->n_rows++;
	b->top->n_zero_rows += is_zero;
}

void top_fill_from_rows(struct top_build *b)
{
	const struct profile *p = b->profile;
	struct top *t = b->top;
	/* rounding error of one row, in the unit of stored weights */
	double half = profile_half_width(p) * (double)profile_scale(p);
	double whole = 0;

	t->unit = p->unit;
	t->decimals = p->decimals;
	VEC_FOREACH (r, &p->table.rows) {
		whole += (double)r->self;
		top_add_row(b, (uint32_t)(r - p->table.rows.data), r);
	}
	VEC_FOREACH (row, &t->rows) {
		row->self_pct = top_pct(t, (double)row->self, whole);
		row->self_err = top_pct(t, half * row->rows, whole);
		if (!row->has_children || b->spec->no_children) {
			row->has_children = false;
			row->children = 0;
		} else {
			row->children_pct = top_pct(t, (double)row->children, whole);
			row->children_err = top_pct(t, half, whole);
			t->has_children = true;
		}
		if (!row->has_samples)
			row->samples = 0;
		t->has_samples |= row->has_samples;
	}
	t->total_pct = top_pct(t, (double)t->total, whole);
	t->total_err = top_pct(t, half * (double)t->n_rows, whole);
}
