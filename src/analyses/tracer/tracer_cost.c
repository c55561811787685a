/* SPDX-License-Identifier: MIT */
#include "analyses/tracer/tracer_cost.h"

#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_summary.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/symbols.h"

#include <math.h>

#define COST_LEAF_FUNCTIONS_MIN 4u
#define COST_SHAPES_MIN         8u
/*
 * an estimate needs shapes (pairs of function and number of callees) with little work of their own:
 * at least COST_FLOOR_SHAPES shapes whose overhead per callee is at most COST_FLOOR_SPREAD times
 * the lowest one
 */
#define COST_FLOOR_SHAPES 3u
#define COST_FLOOR_SPREAD 1.5
/*
 * the upper bound of the overhead per callee is this quantile of cost_shape.each_ns, weighted by
 * cost_shape.kids
 */
#define COST_HIGH_QUANTILE 0.20
#define COST_NOISE         0.50
/*
 * clock errors can make up to n / COST_SLIPS of n values too low, so the lowest n / COST_SLIPS
 * values are skipped
 */
#define COST_SLIPS 256u

/* half-width of the interval of an estimated count, in standard deviations */
#define COST_SIGMAS 2.0

/*
 * A shape: all calls of one function with the same number of direct callees. self_ns is the
 * smallest self time of these calls.
 */
struct cost_shape {
	uint32_t sym;
	uint32_t kids;
	uint64_t self_ns;
	/*
	 * overhead per direct callee, if the call with the smallest self time did no work of its
	 * own: (self_ns - `inside`) / kids
	 */
	double each_ns;
};

#define COST_NEAR 1024u

struct cost {
	const struct calls *c;
	const struct calls_below *below;
	VEC(struct cost_shape) shapes;
	struct idmap shapes_map;
	uint32_t near[COST_NEAR]; /* cache of shapes used recently, indexed by a hash */
	/* duration of the shortest leaf call of each function that has leaf calls */
	VEC(uint64_t) leaves;
	struct tracer_cost *out;
};

static void cost_add_shape(struct cost *s, uint32_t sym, uint32_t kids, uint64_t self_ns)
{
	uint32_t *near = &s->near[(sym * 31 + kids) % COST_NEAR];
	struct idmap_probe p;

	if (*near < s->shapes.len && s->shapes.data[*near].sym == sym &&
	    s->shapes.data[*near].kids == kids) {
		if (self_ns < s->shapes.data[*near].self_ns)
			s->shapes.data[*near].self_ns = self_ns;
		s->out->points++;
		return;
	}
	p = idmap_first(&s->shapes_map, hash_u64(sym, kids));

	while (idmap_next(&s->shapes_map, &p)) {
		struct cost_shape *shape = &s->shapes.data[p.id];

		if (shape->sym != sym || shape->kids != kids)
			continue;
		if (self_ns < shape->self_ns)
			shape->self_ns = self_ns;
		*near = p.id;
		s->out->points++;
		return;
	}
	if (s->shapes.len >= TRACER_COST_SHAPES_MAX) {
		s->out->shapes_skipped++;
		return;
	}
	idmap_insert(&s->shapes_map, &p, (uint32_t)s->shapes.len);
	*VEC_PUSH(&s->shapes) = (struct cost_shape){ .sym = sym, .kids = kids, .self_ns = self_ns };
	s->out->points++;
}

static int cost_compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return SORT_ORDER(x, y);
}

static int cost_compare_shapes(const void *a, const void *b)
{
	const struct cost_shape *x = a;
	const struct cost_shape *y = b;

	return SORT_ORDER(x->each_ns, y->each_ns) ?: SORT_ORDER(x->kids, y->kids) ?: SORT_ORDER(x->sym, y->sym);
}

/* Find the shortest leaf call of each function, and the smallest self time of each shape. */
static void cost_collect(struct cost *s, size_t n_symbols)
{
	const struct calls *c = s->c;
	uint64_t *leaf = xreallocarray(NULL, n_symbols + 1, sizeof(*leaf));

	memset(leaf, 0xff, (n_symbols + 1) * sizeof(*leaf));
	for (size_t i = 0; i < c->n; i++) {
		uint32_t sym = c->sym.data[i].v;
		uint32_t kids = s->below->kids[i];
		uint64_t self;
		bool is_overfull;

		if ((c->state.data[i] & CALL_STATE_MASK) != CALL_CLOSED ||
		    !calls_self(c, s->below, (uint32_t)i, &self, &is_overfull) || is_overfull)
			continue;
		if (kids == 0 && (c->state.data[i] & CALL_LEAF) && self < leaf[sym])
			leaf[sym] = self;
		if (kids != 0 && !(kids & CALLS_KIDS_OPEN))
			cost_add_shape(s, sym, kids, self);
	}
	for (size_t i = 0; i <= n_symbols; i++) {
		if (leaf[i] != UINT64_MAX)
			*VEC_PUSH(&s->leaves) = leaf[i];
	}
	free(leaf);
	s->out->leaf_functions = s->leaves.len;
	s->out->shapes = s->shapes.len;
}

/* Quantile @q of each_ns, weighted by the number of direct callees. The shapes must be sorted. */
static double cost_quantile(const struct cost *s, double q)
{
	double sum = 0;
	double at = 0;

	VEC_FOREACH (shape, &s->shapes)
		sum += shape->kids;
	VEC_FOREACH (shape, &s->shapes) {
		at += shape->kids;
		if (at >= q * sum)
			return shape->each_ns;
	}
	return 0;
}

static void cost_solve(struct cost *s)
{
	struct tracer_cost *out = s->out;
	uint64_t inside;
	double low;
	double high;
	size_t floor = 0;

	if (s->leaves.len < COST_LEAF_FUNCTIONS_MIN || s->shapes.len < COST_SHAPES_MIN) {
		out->why_not = "too few different calls to tell the tracer's cost from work";
		return;
	}
	VEC_SORT(&s->leaves, cost_compare_ns);
	inside = s->leaves.data[s->leaves.len / COST_SLIPS];
	VEC_FOREACH (shape, &s->shapes)
		shape->each_ns = shape->self_ns > inside
					 ? (double)(shape->self_ns - inside) / shape->kids
					 : 0;
	VEC_SORT(&s->shapes, cost_compare_shapes);
	low = s->shapes.data[s->shapes.len / COST_SLIPS].each_ns;
	high = cost_quantile(s, COST_HIGH_QUANTILE);
	if (high < low)
		high = low;
	if (inside == 0 && high <= 0) {
		out->why_not = "the durations are too coarse to tell the tracer's cost";
		return;
	}
	VEC_FOREACH (shape, &s->shapes)
		floor += shape->each_ns + (double)inside <=
			 COST_FLOOR_SPREAD * (low + (double)inside);
	if (floor < COST_FLOOR_SHAPES) {
		out->why_not = "no calls that do next to nothing: the tracer's cost cannot be "
			       "separated from work";
		return;
	}
	out->leaf = (struct tracer_span){ (double)inside, (double)inside, (double)inside };
	out->nested = (struct tracer_span){
		.ns = (double)inside + (low + high) / 2,
		.low_ns = (double)inside + low,
		.high_ns = (double)inside + high,
	};
	out->noise_ns = fmax(cost_quantile(s, COST_NOISE) - high, (high - low) / 2);
}

struct tracer_span tracer_cost_of(const struct tracer_cost *cost, enum tracer_cost_kind kind,
				  const struct tracer_paid *paid)
{
	struct tracer_span each = cost->nested;
	struct tracer_span ret;
	double n = (double)paid->n;
	double below = (double)paid->below;

	if (kind == TRACER_COST_SELF) {
		each.ns -= cost->leaf.ns;
		each.low_ns -= cost->leaf.low_ns;
		each.high_ns -= cost->leaf.high_ns;
	}
	ret = (struct tracer_span){
		.ns = n * cost->leaf.ns + below * each.ns,
		.low_ns = n * cost->leaf.low_ns + below * each.low_ns,
		.high_ns = n * cost->leaf.high_ns + below * each.high_ns,
	};
	if (cost->has_hidden && paid->hidden.n > 0) {
		double by = COST_SIGMAS * sqrt(paid->hidden.var) * cost->hidden.ns;

		ret.ns += paid->hidden.n * cost->hidden.ns;
		ret.low_ns += fmax(paid->hidden.n * cost->hidden.low_ns - by, 0);
		ret.high_ns += paid->hidden.n * cost->hidden.high_ns + by;
	}
	return ret;
}

bool tracer_cost_without(const struct tracer_cost *cost, enum tracer_cost_kind kind,
			 uint64_t printed_ns, const struct tracer_paid *paid,
			 struct tracer_span *ret)
{
	struct tracer_span by = tracer_cost_of(cost, kind, paid);
	double printed = (double)printed_ns;
	double hidden = paid->hidden.n;
	bool is_unknown = isnan(hidden) || (hidden > 0 && !cost->has_hidden);

	*ret = (struct tracer_span){
		.ns = is_unknown ? 0 : fmax(printed - by.ns, 0),
		.low_ns = is_unknown ? 0 : fmax(printed - by.high_ns, 0),
		.high_ns = fmax(printed - by.low_ns, 0),
	};
	/*
	 * noise of single calls partly cancels out in a sum, so it grows with the square root of
	 * their number
	 */
	return !is_unknown &&
	       printed - by.high_ns >
		       cost->noise_ns * sqrt((double)paid->n + (double)paid->below + hidden);
}

void tracer_cost_estimate(const struct capture *capture, const struct calls_summary *sum,
			  struct tracer_cost *ret)
{
	struct cost s = { .c = capture->calls, .below = &sum->below, .out = ret };

	memset(ret, 0, sizeof(*ret));
	if (!s.c || !s.c->has_durations || sum->root_topmost == 0) {
		ret->why_not = "the trace has no durations";
		return;
	}
	if (s.c->is_from_events) {
		ret->why_not = "its calls are pairs of trace events, which cost little";
		return;
	}
	cost_collect(&s, capture_symbols(capture)->rows.len);
	cost_solve(&s);
	ret->cut_depth = hidden_calls_levels(capture);
	if (!ret->why_not)
		ret->total = tracer_cost_of(
			ret, TRACER_COST_TOTAL,
			&(struct tracer_paid){ .n = sum->root_topmost,
					       .below = sum->root_below - sum->root_topmost });
	VEC_FREE(&s.shapes);
	VEC_FREE(&s.leaves);
	idmap_fini(&s.shapes_map);
}

void tracer_cost_take(const struct capture *capture, const struct calls_summary *sum,
		      const struct tracer_cost_given *given, struct tracer_cost *ret)
{
	double leaf = given->leaf_ns;

	tracer_cost_estimate(capture, sum, ret);
	if (!capture->calls || !capture->calls->has_durations || sum->root_topmost == 0)
		return;
	/*
	 * leaf: the part of a call's overhead that is within its own duration. If it is not given,
	 * half of the overhead is assumed. The estimate from the trace's shortest leaf calls is an
	 * upper bound
	 */
	if (leaf < 0)
		leaf = given->nested.ns / 2;
	if (!ret->why_not && ret->leaf.ns < leaf)
		leaf = ret->leaf.ns;
	ret->why_not = NULL;
	ret->is_given = true;
	ret->leaf = (struct tracer_span){ leaf, leaf, leaf };
	ret->nested = given->nested;
	ret->noise_ns =
		fmax((given->nested.high_ns - given->nested.low_ns) / 2, 0.1 * given->nested.ns);
	ret->total = tracer_cost_of(
		ret, TRACER_COST_TOTAL,
		&(struct tracer_paid){ .n = sum->root_topmost,
				       .below = sum->root_below - sum->root_topmost });
}
