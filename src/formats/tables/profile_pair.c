/* SPDX-License-Identifier: MIT */
#include "formats/tables/profile_pair.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"

#include <math.h>

#define PAIR_DECIMALS 2u

static struct capture *pair_capture(const struct format *f, const struct region *in,
				    struct dossier *d, struct str side)
{
	struct capture *c = format_add_capture(f, in, d);
	struct profile *p = capture_profile(c);

	p->unit = WEIGHT_PERCENT;
	p->decimals = PAIR_DECIMALS;
	p->printed_decimals = PAIR_DECIMALS;
	p->is_rounded = true;
	p->table.limit_pct = -1;
	p->table.columns = ROW_HAS_SELF | ROW_HAS_SYMBOL;
	capture_note(c, STR("side"), side, c->first_line);
	return c;
}

void profile_pair_begin(struct profile_pair *p, const struct format *f, const struct region *in,
			struct dossier *d)
{
	p->before = pair_capture(f, in, d, STR("before"));
	p->after = pair_capture(f, in, d, STR("after"));
}

static uint64_t pair_weight(const struct profile *p, double pct)
{
	return pct > 0 && pct < 1e6 ? (uint64_t)llround(pct * (double)profile_scale(p)) : 0;
}

void profile_pair_add(struct capture *c, sym_id sym, str_id dso, char level, double self_pct,
		      double children_pct, unsigned int has, uint32_t line)
{
	struct profile_table *t = &c->profile->table;

	if (t->rows.len >= LIMIT_ROWS)
		return;
	t->columns |= (uint16_t)has;
	*VEC_PUSH(&t->rows) = (struct profile_row){
		.self = pair_weight(c->profile, self_pct),
		.children = pair_weight(c->profile, children_pct),
		.sym = sym,
		.dso = dso,
		.line = line,
		.tree = INDEX_NONE,
		.extra = INDEX_NONE,
		.has = (uint16_t)(has | ROW_HAS_SYMBOL | (dso.v ? ROW_HAS_DSO : 0)),
		.level = level,
	};
}

void profile_pair_set(struct capture *c, uint32_t at, bool is_self, double pct, uint32_t line)
{
	struct profile_table *t = &c->profile->table;
	struct profile_row *row;

	if (at >= t->rows.len)
		return;
	row = &t->rows.data[at];
	if (is_self) {
		row->self = pair_weight(c->profile, pct);
		row->has |= ROW_HAS_SELF;
		row->line = line;
	} else {
		row->children = pair_weight(c->profile, pct);
		row->has |= ROW_HAS_CHILDREN;
	}
	t->columns |= row->has;
}

bool profile_pair_trace(struct capture *c, const sym_id *syms, size_t n, double pct, uint32_t line)
{
	struct profile_table *t = &c->profile->table;
	uint64_t weight = pair_weight(c->profile, pct);

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
