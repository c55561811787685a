/* SPDX-License-Identifier: MIT */
#include "analyses/calls/call_gaps.h"

#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_summary.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"

#include <math.h>

/* self time is a gap only if it is at least this multiple of the tracing overhead of one call */
#define GAPS_MIN_OVERHEADS 15.0
/*
 * self time is a gap only if it is at least this multiple of the mean self time of the function's
 * other calls
 */
#define GAPS_MIN_PEER_SELF 4.0

struct gaps {
	const struct calls *c;
	const struct symbols *symbols;
	const struct tracer_cost *cost;
	struct call_gaps *out;
	/* one bit per call: the call directly contains a hidden interrupt */
	uint64_t *interrupts;
	/* indexed by symbol: index of the function's row in calls_summary.functions */
	uint32_t *function;
	/* indexed by symbol: index of the function's row in call_gaps.rows; INDEX_NONE: none */
	uint32_t *row;
};

static bool gaps_has_interrupt(const struct gaps *g, size_t call)
{
	return g->interrupts[call / 64] >> call % 64 & 1;
}

bool call_gaps_is_interrupt(const struct symbols *symbols, const struct calls *c, uint32_t first,
			    uint32_t second)
{
	struct str name = symbols_name(symbols, c->sym.data[first]);

	return c->parent.data[first] == c->parent.data[second] &&
	       (c->state.data[first] & CALL_LEAF) && (c->state.data[second] & CALL_LEAF) &&
	       (str_eq(name, STR("irq_enter_rcu")) || str_eq(name, STR("irq_enter"))) &&
	       str_eq(symbols_name(symbols, c->sym.data[second]), STR("idle_cpu"));
}

/*
 * Returns an array that is indexed by symbol: 1 for irq_enter_rcu() and irq_enter(), which are the
 * first of the two calls that prove a hidden interrupt; 0 for other functions. So gaps_scan()
 * compares names only after such a call.
 */
static uint8_t *gaps_starts(const struct symbols *symbols)
{
	uint8_t *starts = xcalloc(symbols->rows.len + 1, sizeof(*starts));

	for (size_t i = 0; i < symbols->rows.len; i++) {
		struct str name = symbols_name(symbols, (sym_id){ (uint32_t)i });

		starts[i] = str_eq(name, STR("irq_enter_rcu")) || str_eq(name, STR("irq_enter"));
	}
	return starts;
}

static void gaps_interrupt(struct gaps *g, uint32_t call)
{
	const struct calls *c = g->c;
	uint32_t parent = c->parent.data[call];
	unsigned int expected = parent == INDEX_NONE ? 0 : c->depth.data[parent] + 1u;

	g->out->n_interrupts++;
	if (parent != INDEX_NONE)
		g->interrupts[parent / 64] |= UINT64_C(1) << parent % 64;
	if (g->out->interrupts.len >= CALL_GAPS_INTERRUPTS_MAX)
		return;
	*VEC_PUSH(&g->out->interrupts) = (struct hidden_interrupt){
		.call = call,
		.line = c->line.data[call],
		.parent = parent,
		.in_tracer = c->depth.data[call] > expected,
	};
}

/* Find hidden interrupts and mark the calls that directly contain one. */
static void gaps_scan(struct gaps *g)
{
	const struct calls *c = g->c;
	uint8_t *starts = gaps_starts(g->symbols);
	uint32_t *last = xreallocarray(NULL, c->lanes.len + 1, sizeof(*last));

	memset(last, 0xff, (c->lanes.len + 1) * sizeof(*last));
	for (size_t i = 0; i < c->n; i++) {
		uint32_t lane = c->lane.data[i];
		uint32_t before = last[lane];

		if (before != INDEX_NONE &&
		    call_gaps_is_interrupt(g->symbols, c, before, (uint32_t)i))
			gaps_interrupt(g, before);
		last[lane] = starts[c->sym.data[i].v] ? (uint32_t)i : INDEX_NONE;
	}
	free(starts);
	free(last);
}

static struct tracer_span gaps_plus(struct tracer_span a, struct tracer_span b)
{
	return (struct tracer_span){ a.ns + b.ns, a.low_ns + b.low_ns, a.high_ns + b.high_ns };
}

static void gaps_add(struct gaps *g, const struct calls_function *f, uint32_t call,
		     struct tracer_span left)
{
	struct call_gap *row;

	left.ns = left.high_ns;
	if (g->row[f->sym.v] == INDEX_NONE) {
		g->row[f->sym.v] = (uint32_t)g->out->rows.len;
		*VEC_PUSH(&g->out->rows) = (struct call_gap){ .sym = f->sym, .peers = f->calls };
	}
	row = &g->out->rows.data[g->row[f->sym.v]];
	row->calls++;
	row->sum = gaps_plus(row->sum, left);
	row->interrupts += gaps_has_interrupt(g, call);
	g->out->calls++;
	g->out->sum = gaps_plus(g->out->sum, left);
	if (left.ns > row->worst.ns) {
		row->worst = left;
		row->worst_call = call;
		row->worst_line = g->c->line.data[call];
		row->worst_has_interrupt = gaps_has_interrupt(g, call);
	}
}

/*
 * Find the row of calls_summary.away for @call; NULL: there is none. The search begins at index
 * *@at: set it to 0 before the first search. Search for calls in ascending order.
 */
static const struct call_away *gaps_away(const struct calls_summary *sum, size_t *at, uint32_t call)
{
	while (*at < sum->away.rows.len && sum->away.rows.data[*at].call < call)
		++*at;
	return *at < sum->away.rows.len && sum->away.rows.data[*at].call == call
		       ? &sum->away.rows.data[*at]
		       : NULL;
}

static void gaps_measure(struct gaps *g, const struct calls_summary *sum)
{
	const struct calls *c = g->c;
	double least = GAPS_MIN_OVERHEADS * g->cost->nested.ns;
	size_t at = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct calls_function *f =
			&sum->functions.data[g->function[c->sym.data[i].v]];
		const struct tracer_paid paid = { .n = 1,
						  .below = calls_kids(&sum->below, (uint32_t)i) };
		struct tracer_span left;
		uint64_t self;
		bool is_overfull;

		const struct call_away *away = gaps_away(sum, &at, (uint32_t)i);

		if (!calls_kids(&sum->below, (uint32_t)i) ||
		    (c->state.data[i] & CALL_STATE_MASK) != CALL_CLOSED ||
		    !calls_self(c, &sum->below, (uint32_t)i, &self, &is_overfull))
			continue;
		/*
		 * if the trace shows sleep or interrupts in the call, their time is not part of a
		 * gap
		 */
		if (away)
			self -= away->asleep_ns + away->irq_ns < self
					? away->asleep_ns + away->irq_ns
					: self;
		if ((double)self < least ||
		    !tracer_cost_without(g->cost, TRACER_COST_SELF, self, &paid, &left) ||
		    left.ns < least)
			continue;
		if (f->self_known > 1 && (double)self < GAPS_MIN_PEER_SELF *
								(double)(f->self_ns - self) /
								(double)(f->self_known - 1))
			continue;
		gaps_add(g, f, (uint32_t)i, left);
	}
}

static int gaps_compare(const void *a, const void *b)
{
	const struct call_gap *x = a;
	const struct call_gap *y = b;

	return SORT_ORDER(y->sum.ns, x->sum.ns) ?: SORT_ORDER(x->worst_call, y->worst_call);
}

void call_gaps_find(const struct capture *capture, const struct calls_summary *sum,
		    const struct tracer_cost *cost, struct call_gaps *ret)
{
	struct gaps g = { .c = capture->calls, .cost = cost, .out = ret };
	size_t n_symbols;

	memset(ret, 0, sizeof(*ret));
	if (!g.c)
		return;
	g.symbols = capture_symbols(capture);
	n_symbols = g.symbols->rows.len;
	g.interrupts = xcalloc(g.c->n / 64 + 1, sizeof(*g.interrupts));
	g.function = xcalloc(n_symbols + 1, sizeof(*g.function));
	g.row = xreallocarray(NULL, n_symbols + 1, sizeof(*g.row));
	memset(g.row, 0xff, (n_symbols + 1) * sizeof(*g.row));
	for (size_t i = 0; i < sum->functions.len; i++)
		g.function[sum->functions.data[i].sym.v] = (uint32_t)i;
	gaps_scan(&g);
	if (!cost->why_not)
		gaps_measure(&g, sum);
	VEC_SORT(&ret->rows, gaps_compare);
	free(g.interrupts);
	free(g.function);
	free(g.row);
}

void call_gaps_fini(struct call_gaps *g)
{
	VEC_FREE(&g->rows);
	VEC_FREE(&g->interrupts);
}
