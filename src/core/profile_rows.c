/* SPDX-License-Identifier: MIT */
#include "core/profile_rows.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"

#include <math.h>

static uint64_t profile_rows_weight(const struct profile *p, double pct)
{
	return pct > 0 && pct < 1e6 ? (uint64_t)llround(pct * (double)profile_scale(p)) : 0;
}

void profile_rows_add(struct capture *c, sym_id sym, str_id dso, char level, double self_pct,
		      double children_pct, unsigned int has, uint32_t line)
{
	struct profile_table *t = &c->profile->table;

	if (t->rows.len >= LIMIT_ROWS)
		return;
	t->columns |= (uint16_t)has;
	*VEC_PUSH(&t->rows) = (struct profile_row){
		.self = profile_rows_weight(c->profile, self_pct),
		.children = profile_rows_weight(c->profile, children_pct),
		.sym = sym,
		.dso = dso,
		.line = line,
		.tree = INDEX_NONE,
		.extra = INDEX_NONE,
		.has = (uint16_t)(has | ROW_HAS_SYMBOL | (dso.v ? ROW_HAS_DSO : 0)),
		.level = level,
	};
}

void profile_rows_set(struct capture *c, uint32_t at, bool is_self, double pct, uint32_t line)
{
	struct profile_table *t = &c->profile->table;
	struct profile_row *row;

	if (at >= t->rows.len)
		return;
	row = &t->rows.data[at];
	if (is_self) {
		row->self = profile_rows_weight(c->profile, pct);
		row->has |= ROW_HAS_SELF;
		row->line = line;
	} else {
		row->children = profile_rows_weight(c->profile, pct);
		row->has |= ROW_HAS_CHILDREN;
	}
	t->columns |= row->has;
}

void profile_rows_set_calls(struct capture *c, uint32_t at, struct str calls)
{
	struct strings *strings = capture_strings(c);
	struct profile_table *t = &c->profile->table;

	if (calls.len == 0 || at >= t->rows.len || t->rows.data[at].extra != INDEX_NONE)
		return;
	if (t->extra_columns.len == 0)
		*VEC_PUSH(&t->extra_columns) = strings_add(strings, STR("calls"));
	t->rows.data[at].extra = (uint32_t)t->extra_cells.len;
	*VEC_PUSH(&t->extra_cells) = strings_add(strings, calls);
}

void profile_rows_spread(struct capture *c, uint32_t at, bool is_self, double points)
{
	struct profile_table *t = &c->profile->table;

	if (at >= t->rows.len)
		return;
	while (t->spreads.len < t->rows.len)
		*VEC_PUSH(&t->spreads) = (struct profile_spread){ .self = NAN, .children = NAN };
	if (is_self)
		t->spreads.data[at].self = (float)points;
	else
		t->spreads.data[at].children = (float)points;
}

bool profile_rows_trace(struct capture *c, const sym_id *syms, size_t n, double pct, uint32_t line)
{
	struct profile_table *t = &c->profile->table;
	uint64_t weight = profile_rows_weight(c->profile, pct);

	if (t->traces.len >= LIMIT_ROWS)
		return false;
	if (weight == 0 || n == 0)
		return true;
	*VEC_PUSH(&t->traces) = (struct profile_trace){
		.weight = weight,
		.first = (uint32_t)t->trace_syms.len,
		.n = (uint32_t)n,
		.line = line,
	};
	VEC_APPEND(&t->trace_syms, syms, n);
	return true;
}
