/* SPDX-License-Identifier: MIT */
#include "core/call_costs.h"

#include "base/limits.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/profile_rows.h"
#include "core/symbols.h"

#include <math.h>

void call_costs_fini(struct call_costs *c)
{
	slots_fini(&c->by_symbol);
	slots_fini(&c->by_edge);
	VEC_FREE(&c->functions);
	VEC_FREE(&c->edges);
}

uint32_t call_costs_function(struct call_costs *c, sym_id sym, uint32_t line)
{
	struct slot *slot;

	slots_reserve(&c->by_symbol, 1);
	slot = slots_find(&c->by_symbol, sym.v, 0);
	if (!slot->value && c->functions.len < LIMIT_ROWS) {
		*VEC_PUSH(&c->functions) = (struct call_cost){ .sym = sym, .line = line };
		slots_fill(&c->by_symbol, slot,
			   (struct slot){ sym.v, 0, (uint32_t)c->functions.len });
	}
	return slot->value ? slot->value - 1 : INDEX_NONE;
}

void call_costs_add_self(struct call_costs *c, uint32_t function, double cost)
{
	if (function == INDEX_NONE)
		return;
	c->functions.data[function].self += cost;
	c->whole += cost;
}

void call_costs_add_call(struct call_costs *c, uint32_t caller, uint32_t callee, double cost,
			 uint32_t line)
{
	struct slot *slot;

	if (caller == INDEX_NONE || callee == INDEX_NONE || caller == callee)
		return;
	c->functions.data[caller].calls += cost;
	c->functions.data[callee].called += cost;
	slots_reserve(&c->by_edge, 1);
	slot = slots_find(&c->by_edge, caller, callee);
	if (!slot->value && c->edges.len < LIMIT_ROWS) {
		*VEC_PUSH(&c->edges) = (struct call_edge){ caller, callee, 0, line };
		slots_fill(&c->by_edge, slot,
			   (struct slot){ caller, callee, (uint32_t)c->edges.len });
	}
	if (slot->value)
		c->edges.data[slot->value - 1].cost += cost;
}

/*
 * Return @cost in percent of c->whole, the sum of all self costs; at most 100. The result is
 * rounded down to p->decimals decimals. A sum of self costs then never exceeds 100 %.
 */
static double call_costs_pct(const struct call_costs *c, const struct profile *p, double cost)
{
	double scale = (double)profile_scale(p);

	return cost < c->whole ? floor(100 * cost / c->whole * scale) / scale : 100;
}

size_t call_costs_write(const struct call_costs *c, struct capture *to, uint32_t *ret_line)
{
	const struct profile *p = to->profile;
	unsigned int has = ROW_HAS_SELF | (c->edges.len ? ROW_HAS_CHILDREN : 0);
	size_t more = 0;

	VEC_FOREACH (f, &c->functions) {
		double below = f->called > 0 ? f->called : f->self + f->calls;

		if (below > c->whole) {
			more++;
			*ret_line = f->line;
		}
		if (f->self <= 0 && below <= 0)
			continue;
		profile_rows_add(to, f->sym, symbols_get(capture_symbols(to), f->sym)->module, ' ',
				 call_costs_pct(c, p, f->self),
				 call_costs_pct(c, p, below > f->self ? below : f->self), has,
				 f->line);
	}
	VEC_FOREACH (e, &c->edges) {
		sym_id chain[2] = { c->functions.data[e->callee].sym,
				    c->functions.data[e->caller].sym };

		(void)profile_rows_trace(to, chain, 2, call_costs_pct(c, p, e->cost), e->line);
	}
	return more;
}
