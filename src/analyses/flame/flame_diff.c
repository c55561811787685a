/* SPDX-License-Identifier: MIT */
/* flame_diff.c - build the flame graph of a comparison */
#include "analyses/flame/flame.h"

#include "analyses/compare/compare.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/symbols.h"

#include <math.h>

/*
 * Indices of shades in the palette. DIFF_SHADE_FIRST to DIFF_SHADE_SAME - 1 are the shades of the
 * labels DIFF_LESS_STRONG to DIFF_MORE_STRONG, in this order.
 */
#define DIFF_SHADE_FIRST 10u
#define DIFF_SHADE_SAME  17u
#define DIFF_SHADE_GONE  18u

/* Indices in flame.labels. */
enum flame_diff_label {
	DIFF_NONE,
	DIFF_LESS_STRONG,
	DIFF_LESS,
	DIFF_LESS_MILD,
	DIFF_UNCLEAR,
	DIFF_MORE_MILD,
	DIFF_MORE,
	DIFF_MORE_STRONG,
	DIFF_SAME,
	DIFF_WAY,
	DIFF_LABEL_COUNT,
};

_Static_assert(DIFF_LABEL_COUNT <= FLAME_MAX_LABELS, "each has a label");

struct flame_diff {
	const struct compare_path *rows;
	uint32_t n;
	const struct symbols *symbols;
	bool is_of_a;
	uint64_t min_weight;
	uint64_t *weight; /* indexed by row: its weight in the current tree */
	/*
	 * the callees of row r are items[first[r + 1]] to items[first[r + 2] - 1]; the root's
	 * callees are items[first[0]] to items[first[1] - 1]
	 */
	uint32_t *first;
	uint32_t *items; /* indices of rows, sorted by caller, then by name */
	struct flame *flame;
};

static bool diff_is_gone(const struct flame_diff *d, uint32_t row)
{
	return d->is_of_a ? d->rows[row].is_new : d->rows[row].is_vanished;
}

static uint64_t diff_round(double pct)
{
	return pct > 0 && pct < 1e6 ? (uint64_t)llround(pct * (double)FLAME_DIFF_UNIT) : 0;
}

/*
 * Compute the weights of the left tree or, with @is_gone, the right tree. Returns the weight of the
 * root. Weights are rounded so that no caller has less weight than its callees together.
 */
static uint64_t diff_weigh(struct flame_diff *d, bool is_gone)
{
	CLEANUP(freep) uint64_t *kids = xcalloc((size_t)d->n + 1, sizeof(*kids));
	CLEANUP(freep) uint32_t *n_kids = xcalloc((size_t)d->n + 1, sizeof(*n_kids));

	for (uint32_t i = d->n; i-- > 0;) {
		const struct compare_path *r = &d->rows[i];
		uint32_t above = r->parent == INDEX_NONE ? 0 : r->parent + 1;
		uint64_t w = 0;

		if (is_gone && diff_is_gone(d, i))
			w = diff_round(d->is_of_a ? r->b : r->a);
		else if (!is_gone)
			w = diff_round(d->is_of_a ? r->a : r->b);
		if (w <= kids[i + 1] + n_kids[i + 1] && kids[i + 1])
			w = kids[i + 1];
		d->weight[i] = w;
		kids[above] += w;
		n_kids[above] += w > 0;
	}
	return kids[0];
}

static int diff_item_cmp(const void *va, const void *vb, void *data)
{
	const struct flame_diff *d = data;
	uint32_t a = *(const uint32_t *)va;
	uint32_t b = *(const uint32_t *)vb;
	int c = str_cmp(symbols_name(d->symbols, d->rows[a].sym),
			symbols_name(d->symbols, d->rows[b].sym));

	return c ?: SORT_ORDER(a, b);
}

static void diff_link(struct flame_diff *d)
{
	d->first = xcalloc((size_t)d->n + 3, sizeof(*d->first));
	d->items = xmalloc(((size_t)d->n + 1) * sizeof(*d->items));
	for (uint32_t i = 0; i < d->n; i++)
		d->first[d->rows[i].parent == INDEX_NONE ? 2 : d->rows[i].parent + 3]++;
	for (size_t i = 3; i < (size_t)d->n + 3; i++)
		d->first[i] += d->first[i - 1];
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t above = d->rows[i].parent == INDEX_NONE ? 0 : d->rows[i].parent + 1;

		d->items[d->first[above + 1]++] = i;
	}
	for (uint32_t i = 0; i <= d->n; i++) {
		uint32_t n = d->first[i + 1] - d->first[i];

		if (n > 1)
			qsort_r(d->items + d->first[i], n, sizeof(*d->items), diff_item_cmp, d);
	}
}

static enum flame_diff_label diff_colour(const struct compare_path *r)
{
	double by = fabs(r->b - r->a);
	int step = by >= FLAME_DIFF_STRONG ? 3 : by >= FLAME_DIFF_MILD ? 2 : 1;

	switch (r->verdict) {
	case COMPARE_MORE:
		return (enum flame_diff_label)(DIFF_UNCLEAR + step);
	case COMPARE_LESS:
		return (enum flame_diff_label)(DIFF_UNCLEAR - step);
	case COMPARE_SAME:
		return DIFF_SAME;
	default:
		return DIFF_UNCLEAR;
	}
}

static void diff_labels(struct flame *f, bool is_of_a)
{
	static const char *const texts[DIFF_LABEL_COUNT] = {
		"",         "-5 points or below", "-1 to -5",    "down to -1", "cannot tell",
		"up to +1", "+1 to +5",           "+5 or above", "the same",
	};

	for (unsigned int i = 0; i < DIFF_LABEL_COUNT; i++) {
		unsigned int shade = DIFF_SHADE_FIRST + i - DIFF_LESS_STRONG;

		if (i == DIFF_NONE || i == DIFF_SAME)
			shade = DIFF_SHADE_SAME;
		if (i == DIFF_WAY)
			shade = DIFF_SHADE_GONE;
		f->labels[i] = (struct flame_label){ .text = texts[i], .shade = (uint8_t)shade };
	}
	f->gone_name = is_of_a ? "only in B" : "only in A";
	f->labels[DIFF_WAY].text = is_of_a ? "dashed: only in B" : "dashed: only in A";
	f->n_labels = DIFF_LABEL_COUNT;
}

/* Hide a row that is too narrow, with all its callees. */
static void diff_hide(struct flame_diff *d, uint32_t row)
{
	VEC(uint32_t) todo = VEC_INIT;

	d->flame->hidden_weight += d->weight[row];
	*VEC_PUSH(&todo) = row;
	while (todo.len) {
		uint32_t at = todo.data[--todo.len];

		if (d->weight[at] == 0)
			continue;
		d->flame->hidden_frames++;
		for (uint32_t i = d->first[at + 1]; i < d->first[at + 2]; i++)
			*VEC_PUSH(&todo) = d->items[i];
	}
	VEC_FREE(&todo);
}

struct flame_diff_step {
	uint32_t row;    /* INDEX_NONE: the root frame */
	uint32_t parent; /* index of its caller in flame.frames */
	uint64_t start;
};

static void diff_frame(struct flame_diff *d, const struct flame_diff_step *step, uint64_t weight,
		       bool is_gone)
{
	struct flame *f = d->flame;
	uint32_t depth = step->parent == INDEX_NONE ? 0 : f->frames.data[step->parent].depth + 1u;
	enum flame_diff_label colour = is_gone ? DIFF_WAY : DIFF_UNCLEAR;

	if (step->row == INDEX_NONE)
		colour = is_gone ? DIFF_WAY : DIFF_NONE;
	else if (!is_gone || diff_is_gone(d, step->row))
		colour = diff_colour(&d->rows[step->row]);
	*VEC_PUSH(&f->frames) = (struct flame_frame){
		.start = step->start,
		.weight = weight,
		.sym = step->row == INDEX_NONE ? SYM_ID_NONE : d->rows[step->row].sym,
		.parent = step->parent,
		.depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
		.colour = (uint8_t)colour,
		.is_gone = is_gone,
		.row = step->row,
	};
	f->labels[colour].is_used = true;
	f->max_depth = depth > f->max_depth ? depth : f->max_depth;
}

static void diff_walk(struct flame_diff *d, uint64_t start, uint64_t weight, bool is_gone)
{
	VEC(struct flame_diff_step) steps = VEC_INIT;

	*VEC_PUSH(&steps) = (struct flame_diff_step){ INDEX_NONE, INDEX_NONE, start };
	while (steps.len) {
		struct flame_diff_step step = steps.data[--steps.len];
		uint32_t frame = (uint32_t)d->flame->frames.len;
		uint32_t place = step.row == INDEX_NONE ? 0 : step.row + 1;
		uint32_t from = d->first[place], to = d->first[place + 1];
		uint64_t inside = step.row == INDEX_NONE ? weight : d->weight[step.row];
		uint64_t end = step.start;
		size_t first = steps.len;

		diff_frame(d, &step, inside, is_gone);
		for (uint32_t i = from; i < to; i++) {
			uint32_t row = d->items[i];
			uint64_t w = d->weight[row];

			if (w == 0)
				continue;
			inside -= w < inside ? w : inside;
			if (w < d->min_weight) {
				diff_hide(d, row);
				continue;
			}
			*VEC_PUSH(&steps) = (struct flame_diff_step){ row, frame, end };
			end += w;
		}
		d->flame->frames.data[frame].self = inside;
		/* the last step of `steps` is drawn next: reverse the order of the callees */
		for (size_t i = first, k = steps.len; i + 1 < k; i++) {
			struct flame_diff_step other = steps.data[--k];

			steps.data[k] = steps.data[i];
			steps.data[i] = other;
		}
	}
	VEC_FREE(&steps);
}

static void diff_count(const struct flame_diff *d, struct flame_diff_counts *ret)
{
	*ret = (struct flame_diff_counts){ .gone = 0 };
	for (uint32_t i = 0; i < d->n; i++) {
		ret->verdicts[d->rows[i].verdict]++;
		if (!diff_is_gone(d, i))
			continue;
		ret->gone++;
		ret->gone_reported +=
			d->rows[i].verdict == COMPARE_LESS || d->rows[i].verdict == COMPARE_MORE;
	}
}

void flame_diff_names(struct compare *c, struct symbols *symbols)
{
	VEC_FOREACH (r, &c->paths.rows) {
		const struct symbol *s = symbols_get(symbols, r->sym);

		if (r->is_many)
			r->sym = symbols_add_text(symbols, STR("[no symbol]"),
						  symbols_module(symbols, r->sym),
						  (enum symbol_space)s->space, 0);
	}
}

void flame_build_diff(const struct compare *c, const struct symbols *symbols, bool is_of_a,
		      double min_px, double px, struct flame *ret,
		      struct flame_diff_counts *ret_counts)
{
	struct flame_diff d = {
		.rows = c->paths.rows.data,
		.n = (uint32_t)c->paths.rows.len,
		.symbols = symbols,
		.is_of_a = is_of_a,
		.flame = ret,
	};
	double min;
	uint64_t sum;

	*ret = (struct flame){ .whole = 100 * FLAME_DIFF_UNIT };
	diff_labels(ret, is_of_a);
	diff_count(&d, ret_counts);
	d.weight = xcalloc((size_t)d.n + 1, sizeof(*d.weight));
	diff_link(&d);
	ret_counts->gone_weight = diff_weigh(&d, true);
	ret->span = ret->whole + ret_counts->gone_weight;
	min = min_px / px * (double)ret->span;
	d.min_weight = min >= 1 ? (uint64_t)ceil(min) : 1;
	sum = diff_weigh(&d, false);
	if (sum > ret->whole) { /* rounding may make the sum exceed 100 % */
		ret->span += sum - ret->whole;
		ret->whole = sum;
	}
	diff_walk(&d, 0, ret->whole, false);
	if (ret_counts->gone_weight) {
		(void)diff_weigh(&d, true);
		diff_walk(&d, ret->whole, ret_counts->gone_weight, true);
	}
	free(d.weight);
	free(d.first);
	free(d.items);
}
