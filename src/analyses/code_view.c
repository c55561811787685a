/* SPDX-License-Identifier: MIT */
#include "analyses/code_view.h"

#include "analyses/code_loops.h"
#include "core/kinds/code.h"

#include <stdlib.h>

double code_view_pct(const struct code_function *f, double weight)
{
	return f->whole > 0 ? 100 * weight / f->whole : 0;
}

void code_view_fini(struct code_view *v)
{
	VEC_FREE(&v->is_shown);
	VEC_FREE(&v->lines);
	VEC_FREE(&v->inlined);
	VEC_FREE(&v->loops);
	VEC_FREE(&v->rows);
	*v = (struct code_view){ .n_lanes = 0 };
}

/*
 * Order by file and line number. Of two rows for the same line, the row with the source text comes
 * first.
 */
static int view_compare_places(const void *a, const void *b)
{
	const struct code_view_line *x = a;
	const struct code_view_line *y = b;

	if (x->file.v != y->file.v)
		return x->file.v < y->file.v ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

static int view_compare_lines(const void *a, const void *b)
{
	const struct code_view_line *x = a;
	const struct code_view_line *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return view_compare_places(a, b);
}

static int view_compare_inlined(const void *a, const void *b)
{
	const struct code_view_inlined *x = a;
	const struct code_view_inlined *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return x->sym.v < y->sym.v ? -1 : x->sym.v > y->sym.v;
}

static int view_compare_syms(const void *a, const void *b)
{
	const struct code_view_inlined *x = a;
	const struct code_view_inlined *y = b;

	return x->sym.v < y->sym.v ? -1 : x->sym.v > y->sym.v;
}

static int view_compare_loops(const void *a, const void *b)
{
	const struct code_view_loop *x = a;
	const struct code_view_loop *y = b;

	if (x->last - x->first != y->last - y->first)
		return x->last - x->first < y->last - y->first ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void view_lines(const struct code *code, const struct code_function *f, struct code_view *v)
{
	size_t n = 0;

	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		const struct code_row *row = &code->rows.data[i];

		if (row->number && (row->is_source || row->self > 0))
			*VEC_PUSH(&v->lines) = (struct code_view_line){
				.file = row->file,
				.number = row->number,
				.self = code_view_pct(f, row->self),
				.source = row->is_source ? i : INDEX_NONE,
			};
	}
	if (v->lines.len == 0)
		return;
	VEC_SORT(&v->lines, view_compare_places);
	for (size_t i = 0; i < v->lines.len; i++) {
		struct code_view_line *line = &v->lines.data[i];

		if (n && v->lines.data[n - 1].file.v == line->file.v &&
		    v->lines.data[n - 1].number == line->number)
			v->lines.data[n - 1].self += line->self;
		else
			v->lines.data[n++] = *line;
	}
	v->lines.len = n;
	VEC_SORT(&v->lines, view_compare_lines);
	while (v->lines.len && v->lines.data[v->lines.len - 1].self <= 0)
		v->lines.len--;
}

static void view_inlined(const struct code *code, const struct code_function *f,
			 struct code_view *v)
{
	size_t n = 0;

	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		const struct code_row *row = &code->rows.data[i];

		if (row->inlined.v && row->self > 0)
			*VEC_PUSH(&v->inlined) =
				(struct code_view_inlined){ row->inlined,
							    code_view_pct(f, row->self) };
	}
	if (v->inlined.len == 0)
		return;
	VEC_SORT(&v->inlined, view_compare_syms);
	for (size_t i = 0; i < v->inlined.len; i++) {
		if (n && v->inlined.data[n - 1].sym.v == v->inlined.data[i].sym.v)
			v->inlined.data[n - 1].self += v->inlined.data[i].self;
		else
			v->inlined.data[n++] = v->inlined.data[i];
	}
	v->inlined.len = n;
	VEC_SORT(&v->inlined, view_compare_inlined);
}

/* Show row @at, an index in code.rows, and @around rows before and after it. */
static void view_show(const struct code_function *f, struct code_view *v, uint32_t at,
		      uint32_t around)
{
	uint32_t row = at - f->first;
	uint32_t from = row > around ? row - around : 0;

	for (uint32_t i = from; i < f->n && i <= row + around; i++)
		v->is_shown.data[i] = true;
}

static bool view_is_hot(const struct code_view *v, const struct code_loops *all,
			const struct code_loop *loop)
{
	for (uint32_t i = 0; i < loop->n; i++) {
		VEC_FOREACH (row, &v->rows) {
			if (all->rows.data[loop->rows_at + i] == *row)
				return true;
		}
	}
	return false;
}

static struct code_view_loop view_loop(const struct code_function *f, const struct code_loop *loop)
{
	return (struct code_view_loop){ .first = loop->first,
					.last = loop->last,
					.n = loop->n,
					.self = code_view_pct(f, loop->self) };
}

/*
 * Collect the loops with hot rows. Each loop gets a lane, the column in which it is drawn. A loop
 * that shares rows with shorter loops gets a lane further outside than their lanes.
 */
static void view_loops(const struct code *code, const struct strings *strings,
		       const struct code_function *f, struct code_view *v)
{
	const struct code_loop *around;
	struct code_loops all;
	size_t n = 0;

	code_loops_find(code, strings, f, &all);
	VEC_FOREACH (loop, &all.loops) {
		if (view_is_hot(v, &all, loop))
			*VEC_PUSH(&v->loops) = view_loop(f, loop);
	}
	around = v->hot == INDEX_NONE ? NULL : code_loops_around(&all, v->hot);
	if (around)
		v->around = view_loop(f, around);
	VEC_SORT(&v->loops, view_compare_loops);
	for (size_t i = 0; i < v->loops.len; i++) {
		struct code_view_loop loop = v->loops.data[i];

		for (size_t k = 0; k < n; k++) {
			const struct code_view_loop *inner = &v->loops.data[k];

			if (inner->first <= loop.last && loop.first <= inner->last &&
			    inner->lane >= loop.lane)
				loop.lane = inner->lane + 1;
		}
		if (loop.lane >= CODE_VIEW_LANES)
			continue;
		v->n_lanes = loop.lane + 1 > v->n_lanes ? loop.lane + 1 : v->n_lanes;
		v->loops.data[n++] = loop;
	}
	v->loops.len = n;
	code_loops_fini(&all);
}

/* Find the heaviest rows. Of equally heavy rows, the first counts as heavier. */
static void view_rows(const struct code *code, const struct code_function *f, struct code_view *v)
{
	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		double self = code->rows.data[i].self;
		size_t at = v->rows.len;

		if (self <= 0)
			continue;
		while (at > 0 && code->rows.data[v->rows.data[at - 1]].self < self)
			at--;
		if (at >= CODE_VIEW_ROWS)
			continue;
		if (v->rows.len < CODE_VIEW_ROWS)
			*VEC_PUSH(&v->rows) = i;
		for (size_t k = v->rows.len; k-- > at + 1;)
			v->rows.data[k] = v->rows.data[k - 1];
		v->rows.data[at] = i;
	}
	v->hot = v->rows.len ? v->rows.data[0] : INDEX_NONE;
	while (v->rows.len &&
	       code_view_pct(f, code->rows.data[v->rows.data[v->rows.len - 1]].self) <
		       CODE_VIEW_HOT_PCT)
		v->rows.len--;
}

/* Also show short gaps, of at most CODE_VIEW_GAP rows, before, between and after shown rows. */
static void view_fill(struct code_view *v)
{
	size_t from = 0; /* index of the row after the last shown one */

	if (v->rows.len == 0)
		return;
	for (size_t i = 0; i <= v->is_shown.len; i++) {
		if (i < v->is_shown.len && !v->is_shown.data[i])
			continue;
		for (size_t k = from; i - from <= CODE_VIEW_GAP && k < i; k++)
			v->is_shown.data[k] = true;
		from = i + 1;
	}
}

void code_view_make(const struct code *code, const struct strings *strings,
		    const struct code_function *f, struct code_view *ret)
{
	*ret = (struct code_view){ .hot = INDEX_NONE };
	for (uint32_t i = 0; i < f->n; i++)
		*VEC_PUSH(&ret->is_shown) = false;
	view_rows(code, f, ret);
	VEC_FOREACH (row, &ret->rows)
		view_show(f, ret, *row, CODE_VIEW_AROUND);
	view_lines(code, f, ret);
	view_inlined(code, f, ret);
	view_loops(code, strings, f, ret);
	VEC_FOREACH (loop, &ret->loops) {
		view_show(f, ret, loop->first, 0);
		view_show(f, ret, loop->last, 0);
	}
	view_fill(ret);
}
