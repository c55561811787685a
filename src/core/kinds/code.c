/* SPDX-License-Identifier: MIT */
#include "core/kinds/code.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

void code_init(struct code *c)
{
	*c = (struct code){ .unit = WEIGHT_UNKNOWN };
}

void code_fini(struct code *c)
{
	VEC_FREE(&c->functions);
	VEC_FREE(&c->rows);
	VEC_FREE(&c->missing);
}

struct code_function *code_add_function(struct code *c, sym_id sym, uint32_t line)
{
	struct code_function *f = VEC_PUSH(&c->functions);

	*f = (struct code_function){
		.sym = sym, .of_all = -1, .first = (uint32_t)c->rows.len, .line = line
	};
	return f;
}

struct code_row *code_add_row(struct code *c, uint32_t line)
{
	struct code_row *row;

	if (c->functions.len == 0 || c->rows.len >= LIMIT_ROWS)
		return NULL;
	row = VEC_PUSH(&c->rows);
	*row = (struct code_row){ .line = line };
	c->functions.data[c->functions.len - 1].n++;
	return row;
}

/* the heaviest function first; equally heavy functions in the order of the listing */
static int code_compare_functions(const void *x, const void *y)
{
	const struct code_function *a = x;
	const struct code_function *b = y;

	return SORT_ORDER(b->of_all, a->of_all) ?: SORT_ORDER(a->first, b->first);
}

void code_weigh(struct code *c, const struct profile *p)
{
	CLEANUP(freep) uint64_t *samples = xcalloc(c->rows.len + 1, sizeof(*samples));
	size_t n = 0;

	VEC_FOREACH (row, &c->rows)
		row->self = row->cum = 0;
	for (size_t i = 0; i < p->samples.code_row.len; i++) {
		uint32_t at = p->samples.code_row.data[i];

		if (at == 0 || at > c->rows.len)
			continue;
		c->rows.data[at - 1].self += (double)p->samples.weight.data[i];
		samples[at - 1] += profile_samples_at(p, i);
	}
	VEC_FOREACH (f, &c->functions) {
		double sum = code_sum(c, f);

		f->whole = 100;
		f->samples = 0;
		for (uint32_t i = f->first; i < f->first + f->n; i++) {
			struct code_row *row = &c->rows.data[i];

			row->self = row->cum = sum > 0 ? 100 * row->self / sum : 0;
			f->samples += samples[i];
		}
		f->of_all = p->event_count ? 100 * sum / (double)p->event_count : 0;
		if (f->samples)
			c->functions.data[n++] = *f;
	}
	c->functions.len = n;
	VEC_SORT(&c->functions, code_compare_functions);
}

double code_sum(const struct code *c, const struct code_function *f)
{
	double sum = 0;

	for (uint32_t i = 0; i < f->n; i++)
		sum += c->rows.data[f->first + i].self;
	return sum;
}
