/* SPDX-License-Identifier: MIT */
#include "analyses/tracer/tracer_joint.h"

#include "analyses/calls/hidden_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"

#include <math.h>

/*
 * from one kind of roots to the next, the number of callees grows by this factor. All roots of one
 * function with nearly the same number of callees are of one kind
 */
#define TYPICAL_KIND 1.125
/*
 * a kind is rare if it has less than 1 / TYPICAL_SHARE of a function's roots; it is then merged
 * with another kind. Only for functions with at least TYPICAL_MANY roots
 */
#define TYPICAL_MANY  10u
#define TYPICAL_SHARE 8u

/* A root: a call without a caller. */
struct typical_root {
	uint32_t sym;
	uint32_t at; /* number of earlier roots of the same function in the trace */
	/*
	 * kind of the root: roots of one function with similar numbers of callees have the same
	 * kind
	 */
	uint32_t kind;
	double printed_ns;
	struct tracer_span net;
};

struct typical_roots {
	VEC(struct typical_root) roots;
};

static int typical_compare(uint32_t a, uint32_t b)
{
	return SORT_ORDER(a, b);
}

static int typical_compare_places(const void *a, const void *b)
{
	const struct typical_root *x = a;
	const struct typical_root *y = b;

	return x->sym != y->sym ? typical_compare(x->sym, y->sym) : typical_compare(x->at, y->at);
}

static int typical_compare_kinds(const void *a, const void *b)
{
	const struct typical_root *x = a;
	const struct typical_root *y = b;

	if (x->sym != y->sym)
		return typical_compare(x->sym, y->sym);
	if (x->kind != y->kind)
		return typical_compare(x->kind, y->kind);
	return SORT_ORDER(x->net.ns, y->net.ns);
}

static void typical_sort(struct typical_roots *r, int (*compare)(const void *, const void *))
{
	VEC_SORT(&r->roots, compare);
}

/*
 * Collect the roots of @t. False: the trace lacks the end of a root, or the number of hidden calls
 * of a root is unknown.
 */
static bool typical_collect(const struct tracer_joint *t, struct typical_roots *ret)
{
	const struct calls *c = t->capture->calls;
	size_t n_symbols = capture_symbols(t->capture)->rows.len;
	uint32_t *at = xcalloc(n_symbols + 1, sizeof(*at));
	struct calls_quiet quiet;
	bool is_whole = true;

	calls_quiet_init(&quiet, t->capture);
	for (size_t i = 0; i < c->n && is_whole; i++) {
		double printed = (double)calls_duration(c, (uint32_t)i) - quiet.irq_ns[i];
		struct tracer_paid paid = { .n = 1, .below = quiet.n[i] };
		struct tracer_span by;

		if (c->parent.data[i] != INDEX_NONE)
			continue;
		if (t->hidden.levels)
			paid.hidden =
				(struct hidden_sum){ t->hidden.n[i], (double)t->hidden.var[i] };
		is_whole =
			(c->state.data[i] & (CALL_STATE_MASK | CALL_NO_DURATION)) == CALL_CLOSED &&
			!isnan(paid.hidden.n);
		by = tracer_cost_of(&t->cost, TRACER_COST_TOTAL, &paid);
		*VEC_PUSH(&ret->roots) = (struct typical_root){
			.sym = c->sym.data[i].v,
			.at = at[c->sym.data[i].v]++,
			.kind = (uint32_t)lround(log((double)quiet.n[i] + 1) / log(TYPICAL_KIND)),
			.printed_ns = printed,
			.net = { printed - by.ns, printed - by.high_ns, printed - by.low_ns },
		};
	}
	calls_quiet_fini(&quiet);
	free(at);
	return is_whole && ret->roots.len;
}

/*
 * Index of the first root after @from whose kind differs from that of root @from; @n: none. @r: the
 * @n roots of one function, sorted by kind.
 */
static size_t typical_run(const struct typical_root *r, size_t from, size_t n)
{
	size_t end = from;

	while (end < n && r[end].kind == r[from].kind)
		end++;
	return end;
}

/*
 * Among the @n roots of a function, merge each rare kind with the next smaller kind that is not
 * rare. If there is no smaller one, with the next larger one.
 */
static void typical_merge_function(struct typical_root *r, size_t n)
{
	uint32_t usual = UINT32_MAX;

	if (n < TYPICAL_MANY)
		return;
	/* find the smallest kind that is not rare */
	for (size_t i = 0, end; i < n && usual == UINT32_MAX; i = end) {
		end = typical_run(r, i, n);
		if ((end - i) * TYPICAL_SHARE >= n)
			usual = r[i].kind;
	}
	for (size_t i = 0, end; i < n && usual != UINT32_MAX; i = end) {
		end = typical_run(r, i, n);
		if ((end - i) * TYPICAL_SHARE >= n)
			usual = r[i].kind;
		for (size_t k = i; k < end; k++)
			r[k].kind = usual;
	}
}

static void typical_merge(struct typical_roots *r)
{
	size_t end;

	typical_sort(r, typical_compare_kinds);
	for (size_t i = 0; i < r->roots.len; i = end) {
		for (end = i; end < r->roots.len && r->roots.data[end].sym == r->roots.data[i].sym;
		     end++)
			;
		typical_merge_function(&r->roots.data[i], end - i);
	}
}

/*
 * Copy the kinds of the roots in @from to the corresponding roots in @to. False: the traces have
 * different roots.
 */
static bool typical_share(const struct typical_roots *from, struct typical_roots *to)
{
	if (from->roots.len != to->roots.len)
		return false;
	for (size_t i = 0; i < to->roots.len; i++) {
		if (from->roots.data[i].sym != to->roots.data[i].sym)
			return false;
		to->roots.data[i].kind = from->roots.data[i].kind;
	}
	return true;
}

/* Sum the times of all roots. Each root counts with the median time of its kind. */
static void typical_sum(struct typical_roots *r, struct tracer_joint *ret)
{
	size_t end;

	ret->typical = (struct tracer_span){ 0 };
	ret->typical_printed_ns = 0;
	typical_sort(r, typical_compare_kinds);
	for (size_t i = 0; i < r->roots.len; i = end) {
		const struct typical_root *first = &r->roots.data[i];
		const struct typical_root *median;
		double n;

		for (end = i; end < r->roots.len && r->roots.data[end].sym == first->sym &&
			      r->roots.data[end].kind == first->kind;
		     end++)
			;
		median = &r->roots.data[i + (end - i - 1) / 2];
		n = (double)(end - i);
		ret->typical.ns += n * median->net.ns;
		ret->typical.low_ns += n * median->net.low_ns;
		ret->typical.high_ns += n * median->net.high_ns;
		ret->typical_printed_ns += n * median->printed_ns;
	}
	ret->has_typical = ret->typical.low_ns > 0;
}

void tracer_typical(struct tracer_joint *complete, struct tracer_joint *cut)
{
	struct typical_roots a = { VEC_INIT };
	struct typical_roots b = { VEC_INIT };

	if (typical_collect(complete, &a) && typical_collect(cut, &b)) {
		typical_merge(&a);
		typical_sort(&a, typical_compare_places);
		typical_sort(&b, typical_compare_places);
		if (typical_share(&a, &b)) {
			typical_sum(&b, cut);
			typical_sum(&a, complete);
		}
	}
	VEC_FREE(&a.roots);
	VEC_FREE(&b.roots);
}
