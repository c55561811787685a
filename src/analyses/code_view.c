/* SPDX-License-Identifier: MIT */
#include "analyses/code_view.h"

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

/* by file and number; among rows of one line, the text first */
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
	qsort(v->lines.data, v->lines.len, sizeof(*v->lines.data), view_compare_places);
	for (size_t i = 0; i < v->lines.len; i++) {
		struct code_view_line *line = &v->lines.data[i];

		if (n && v->lines.data[n - 1].file.v == line->file.v &&
		    v->lines.data[n - 1].number == line->number)
			v->lines.data[n - 1].self += line->self;
		else
			v->lines.data[n++] = *line;
	}
	v->lines.len = n;
	qsort(v->lines.data, n, sizeof(*v->lines.data), view_compare_lines);
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
	qsort(v->inlined.data, v->inlined.len, sizeof(*v->inlined.data), view_compare_syms);
	for (size_t i = 0; i < v->inlined.len; i++) {
		if (n && v->inlined.data[n - 1].sym.v == v->inlined.data[i].sym.v)
			v->inlined.data[n - 1].self += v->inlined.data[i].self;
		else
			v->inlined.data[n++] = v->inlined.data[i];
	}
	v->inlined.len = n;
	qsort(v->inlined.data, n, sizeof(*v->inlined.data), view_compare_inlined);
}

/* Show the rows around row @at, which is an index in code.rows. */
static void view_show(const struct code_function *f, struct code_view *v, uint32_t at,
		      uint32_t around)
{
	uint32_t row = at - f->first;
	uint32_t from = row > around ? row - around : 0;

	for (uint32_t i = from; i < f->n && i <= row + around; i++)
		v->is_shown.data[i] = true;
}

/* The instruction at @address, at or before row @before; INDEX_NONE: there is none. */
static uint32_t view_target(const struct code *code, const struct code_function *f, uint32_t before,
			    uint64_t address)
{
	uint32_t low = f->first;
	uint32_t high = before + 1;

	/* instructions are in the order of their addresses; source lines between them have none */
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		uint32_t at = mid;

		while (at < high && code->rows.data[at].is_source)
			at++;
		if (at == high || code->rows.data[at].address > address)
			high = mid;
		else if (code->rows.data[at].address < address)
			low = at + 1;
		else
			return at;
	}
	return INDEX_NONE;
}

/* The loop that the jump at row @last closes. False: none, or it has no hot row. */
static bool view_loop(const struct code *code, const struct code_function *f, uint32_t last,
		      const struct code_view *v, struct code_view_loop *ret)
{
	const struct code_row *jump = &code->rows.data[last];
	bool is_hot = false;

	if (!jump->target || jump->target > jump->address)
		return false;
	*ret = (struct code_view_loop){ .first = view_target(code, f, last, jump->target),
					.last = last };
	if (ret->first == INDEX_NONE)
		return false;
	for (uint32_t i = ret->first; i <= last; i++) {
		ret->self += code_view_pct(f, code->rows.data[i].self);
		ret->n += !code->rows.data[i].is_source;
	}
	VEC_FOREACH (row, &v->rows)
		is_hot = is_hot || (*row >= ret->first && *row <= last);
	return is_hot;
}

/* Find the loops with hot rows; give each a lane that no shorter loop over the same rows has. */
static void view_loops(const struct code *code, const struct code_function *f, struct code_view *v)
{
	size_t n = 0;

	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		struct code_view_loop loop;

		if (view_loop(code, f, i, v, &loop))
			*VEC_PUSH(&v->loops) = loop;
	}
	if (v->loops.len)
		qsort(v->loops.data, v->loops.len, sizeof(*v->loops.data), view_compare_loops);
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
}

/* Find the heaviest rows; of equally heavy ones, the first. */
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

void code_view_make(const struct code *code, const struct code_function *f, struct code_view *ret)
{
	*ret = (struct code_view){ .hot = INDEX_NONE };
	for (uint32_t i = 0; i < f->n; i++)
		*VEC_PUSH(&ret->is_shown) = false;
	view_rows(code, f, ret);
	VEC_FOREACH (row, &ret->rows)
		view_show(f, ret, *row, CODE_VIEW_AROUND);
	view_lines(code, f, ret);
	view_inlined(code, f, ret);
	view_loops(code, f, ret);
	VEC_FOREACH (loop, &ret->loops) {
		view_show(f, ret, loop->first, 0);
		view_show(f, ret, loop->last, 0);
	}
}
