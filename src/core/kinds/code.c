/* SPDX-License-Identifier: MIT */
#include "core/kinds/code.h"

#include "base/limits.h"
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

double code_sum(const struct code *c, const struct code_function *f)
{
	double sum = 0;

	for (uint32_t i = 0; i < f->n; i++)
		sum += c->rows.data[f->first + i].self;
	return sum;
}
