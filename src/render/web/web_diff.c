/* SPDX-License-Identifier: MIT */
/*
 * web_diff.c - the stacks of a comparison, for the page
 *
 * Percentages are stored as integers in units of 10^-7 percent, because such columns compress well.
 * WEB_DIFF_ZERO is added to the limits of intervals, so that they are not negative.
 */
#include "render/web/web_page.h"

#include "analyses/compare/compare.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/symbols.h"

#include <math.h>

#define WEB_DIFF_UNIT 1e7
#define WEB_DIFF_ZERO 200.0
/* value in column "q" (false discovery rate of the difference) for a row that was not tested */
#define WEB_DIFF_NONE UINT64_C(4000000000)

struct web_diff {
	const struct compare_path *rows;
	uint32_t n;
	const struct symbols *symbols;
	/*
	 * the callees of row r are kids[first[r + 1]] to kids[first[r + 2] - 1]; the outermost
	 * frames are kids[first[0]] to kids[first[1] - 1]
	 */
	uint32_t *first;
	uint32_t *kids;  /* indices of all rows, sorted by parent and then by name */
	uint32_t *order; /* indices of all rows in preorder */
	uint16_t *depth; /* depth[i]: depth of row order[i] */
};

static int web_diff_compare(const void *va, const void *vb, void *data)
{
	const struct web_diff *d = data;
	uint32_t a = *(const uint32_t *)va;
	uint32_t b = *(const uint32_t *)vb;
	int c = str_cmp(symbols_name(d->symbols, d->rows[a].sym),
			symbols_name(d->symbols, d->rows[b].sym));

	return c ? c : a < b ? -1 : a > b;
}

static uint32_t web_diff_above(const struct web_diff *d, uint32_t row)
{
	return d->rows[row].parent == INDEX_NONE ? 0 : d->rows[row].parent + 1;
}

static void web_diff_link(struct web_diff *d)
{
	d->first = xcalloc((size_t)d->n + 3, sizeof(*d->first));
	d->kids = xmalloc(((size_t)d->n + 1) * sizeof(*d->kids));
	for (uint32_t i = 0; i < d->n; i++)
		d->first[web_diff_above(d, i) + 2]++;
	for (size_t i = 3; i < (size_t)d->n + 3; i++)
		d->first[i] += d->first[i - 1];
	for (uint32_t i = 0; i < d->n; i++)
		d->kids[d->first[web_diff_above(d, i) + 1]++] = i;
	for (uint32_t i = 0; i <= d->n; i++) {
		uint32_t n = d->first[i + 1] - d->first[i];

		if (n > 1)
			qsort_r(d->kids + d->first[i], n, sizeof(*d->kids), web_diff_compare, d);
	}
}

/*
 * Set `order` to the indices of all rows in preorder: callers before callees, callees sorted by
 * name.
 */
static void web_diff_walk(struct web_diff *d)
{
	/* stack of the rows that are still to be visited */
	VEC(uint32_t) steps = VEC_INIT;
	uint32_t n = 0;

	d->order = xmalloc(((size_t)d->n + 1) * sizeof(*d->order));
	d->depth = xmalloc(((size_t)d->n + 1) * sizeof(*d->depth));
	for (uint32_t place = 0;;) {
		for (uint32_t i = d->first[place + 1]; i-- > d->first[place];)
			*VEC_PUSH(&steps) = d->kids[i];
		if (steps.len == 0)
			break;
		d->order[n++] = steps.data[--steps.len];
		place = d->order[n - 1] + 1;
	}
	VEC_FREE(&steps);
	d->n = n;
}

/* Compute the depth of each row, at most UINT16_MAX. */
static void web_diff_depths(struct web_diff *d, uint32_t n_rows)
{
	CLEANUP(freep) uint16_t *depth = xcalloc((size_t)n_rows + 1, sizeof(*depth));

	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t row = d->order[i];
		uint16_t above = depth[web_diff_above(d, row)];

		depth[row + 1] = above < UINT16_MAX ? (uint16_t)(above + 1) : above;
		d->depth[i] = depth[row + 1];
	}
}

static uint64_t web_diff_points(double v)
{
	return (uint64_t)llround(fmax(0, v) * WEB_DIFF_UNIT);
}

static void web_diff_figures(struct web_block *b, const struct web_diff *d, uint64_t *column)
{
	for (uint32_t i = 0; i < d->n; i++)
		column[i] = web_diff_points(d->rows[d->order[i]].a);
	web_block_integers(b, "a", column, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		column[i] = web_diff_points(d->rows[d->order[i]].b);
	web_block_integers(b, "b", column, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		column[i] = web_diff_points(d->rows[d->order[i]].low + WEB_DIFF_ZERO);
	web_block_integers(b, "low", column, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		column[i] = web_diff_points(d->rows[d->order[i]].high + WEB_DIFF_ZERO);
	web_block_integers(b, "high", column, d->n);
	for (uint32_t i = 0; i < d->n; i++) {
		double q = d->rows[d->order[i]].q;

		column[i] = isnan(q) ? WEB_DIFF_NONE : web_diff_points(q);
	}
	web_block_integers(b, "q", column, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		column[i] = d->rows[d->order[i]].verdict;
	web_block_integers(b, "verdict", column, d->n);
}

static void web_diff_meta(struct web_block *b, const struct compare *c)
{
	json_key(&b->json, "unit");
	json_double(&b->json, WEB_DIFF_UNIT);
	json_key(&b->json, "zero");
	json_double(&b->json, WEB_DIFF_ZERO);
	json_key(&b->json, "none");
	json_u64(&b->json, WEB_DIFF_NONE);
	json_key(&b->json, "verdicts");
	json_array(&b->json);
	for (int i = 0; i < COMPARE_VERDICT_COUNT; i++)
		json_z(&b->json, compare_verdict_name((enum compare_verdict)i));
	json_array_end(&b->json);
	json_key(&b->json, "counts");
	json_array(&b->json);
	for (int i = 0; i < COMPARE_VERDICT_COUNT; i++)
		json_u64(&b->json, c->paths.counts[i]);
	json_array_end(&b->json);
	json_key(&b->json, "tested");
	json_u64(&b->json, c->paths.n_tested);
}

bool web_diff(struct web_block *b, const struct compare *c, const struct symbols *symbols,
	      struct category_cache *cats)
{
	struct web_diff d = { .rows = c->paths.rows.data,
			      .n = (uint32_t)c->paths.rows.len,
			      .symbols = symbols };
	struct web_symbols names;
	uint64_t *column;

	if (d.n == 0)
		return false;
	web_diff_link(&d);
	web_diff_walk(&d);
	web_diff_depths(&d, (uint32_t)c->paths.rows.len);
	column = xmalloc((size_t)d.n * sizeof(*column));
	web_symbols_init(&names, symbols, cats);
	for (uint32_t i = 0; i < d.n; i++)
		column[i] = web_symbols_add(&names, d.rows[d.order[i]].sym);
	web_block_integers(b, "sym", column, d.n);
	for (uint32_t i = 0; i < d.n; i++)
		column[i] = d.depth[i];
	web_block_integers(b, "depth", column, d.n);
	web_diff_figures(b, &d, column);
	web_diff_meta(b, c);
	web_symbols_write(&names, &b->json);
	web_symbols_fini(&names);
	free(column);
	free(d.first);
	free(d.kids);
	free(d.order);
	free(d.depth);
	return true;
}
