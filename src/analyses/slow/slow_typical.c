/* SPDX-License-Identifier: MIT */
#include "analyses/slow/slow_typical.h"

#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"

#include <math.h>

#define SLOW_TIMES 3u /* a slow call takes at least this multiple of the median */
/* a slow call exceeds the median by at least this multiple of the tracing overhead per call */
#define SLOW_COSTS 10u
/* a slow call exceeds the median by at least this time, if the overhead is unknown */
#define SLOW_LEAST_NS 1000u
#define SLOW_SHARE    5u /* at most 1/5 of a function's calls may be slow */
/* maximum number of times that limit_ns is doubled for a function with too many slow calls */
#define SLOW_ROUNDS 3u

/* Find the slow calls, and count them by function. True: a function has too many slow calls. */
static bool typical_count_slow(struct slow_typical *t, const struct calls_summary *sum)
{
	const struct calls *c = t->c;
	bool too_many = false;

	VEC_FOREACH (row, &sum->functions)
		t->functions[row->sym.v].n_slow = 0;
	for (size_t i = 0; i < c->n; i += 64) {
		size_t end = i + 64 < c->n ? i + 64 : c->n;
		uint64_t bits = 0;

		for (size_t k = i; k < end; k++) {
			struct slow_function *f = &t->functions[c->sym.data[k].v];
			bool is_long = calls_duration(c, (uint32_t)k) > f->limit_ns;
			bool has_self = calls_has_self(c, (uint32_t)k);

			f->n_slow += is_long & has_self;
			bits |= (uint64_t)(is_long | !has_self) << (k - i);
		}
		t->slow[i / 64] = bits;
	}
	VEC_FOREACH (row, &sum->functions) {
		const struct slow_function *f = &t->functions[row->sym.v];

		too_many |= f->n_slow > f->timed / SLOW_SHARE;
	}
	return too_many;
}

static void typical_raise(struct slow_typical *t, const struct calls_summary *sum)
{
	VEC_FOREACH (row, &sum->functions) {
		struct slow_function *f = &t->functions[row->sym.v];

		if (f->n_slow > f->timed / SLOW_SHARE)
			f->limit_ns = f->limit_ns > UINT64_MAX / 2 ? UINT64_MAX : 2 * f->limit_ns;
	}
}

static void typical_limits(struct slow_typical *t, const struct calls_summary *sum,
			   const struct tracer_cost *cost)
{
	bool none = false;
	uint64_t least =
		cost->why_not ? SLOW_LEAST_NS : (uint64_t)ceil(SLOW_COSTS * cost->nested.high_ns);

	VEC_FOREACH (row, &sum->functions) {
		struct slow_function *f = &t->functions[row->sym.v];

		f->kind = (uint8_t)call_kind_of(t->symbols, row->sym);
		f->p50_ns = row->p50_ns;
		f->timed = row->timed;
		if (row->timed < SLOW_PEERS_MIN || row->p50_ns > UINT64_MAX / SLOW_TIMES - least)
			continue;
		f->limit_ns = SLOW_TIMES * row->p50_ns;
		if (f->limit_ns < row->p50_ns + least)
			f->limit_ns = row->p50_ns + least;
	}
	/*
	 * a function with many slow calls does two kinds of work: double its limit until few are
	 * slow
	 */
	for (unsigned int round = 0; typical_count_slow(t, sum) && round < SLOW_ROUNDS; round++)
		typical_raise(t, sum);
	VEC_FOREACH (row, &sum->functions) {
		struct slow_function *f = &t->functions[row->sym.v];

		/*
		 * too many calls are slow even with the largest limit: the function has no typical
		 * call, so none of its calls counts as slow
		 */
		none |= f->n_slow > f->timed / SLOW_SHARE;
		if (f->n_slow > f->timed / SLOW_SHARE)
			f->limit_ns = UINT64_MAX;
	}
	if (none)
		(void)typical_count_slow(t, sum);
}

static struct slow_edge *typical_edge(struct slow_typical *t, uint32_t caller, uint32_t callee,
				      bool make)
{
	uint32_t *near = &t->near[(caller * 67 + callee) % SLOW_NEAR];
	struct idmap_probe p;

	if (*near < t->edges.len && t->edges.data[*near].caller == caller &&
	    t->edges.data[*near].callee == callee)
		return &t->edges.data[*near];
	p = idmap_first(&t->edges_map, hash_u64(caller, callee));
	while (idmap_next(&t->edges_map, &p)) {
		struct slow_edge *e = &t->edges.data[p.id];

		if (e->caller == caller && e->callee == callee) {
			*near = p.id;
			return e;
		}
	}
	if (!make || t->edges.len >= SLOW_CALLS_EDGES_MAX)
		return NULL;
	idmap_insert(&t->edges_map, &p, (uint32_t)t->edges.len);
	*VEC_PUSH(&t->edges) = (struct slow_edge){
		.caller = caller,
		.callee = callee,
		.last_caller = INDEX_NONE,
	};
	return &t->edges.data[t->edges.len - 1];
}

struct slow_edge slow_typical_edge(struct slow_typical *t, uint32_t caller, uint32_t callee)
{
	const struct slow_edge *e = typical_edge(t, caller, callee, false);

	return e ? *e : (struct slow_edge){ .caller = caller };
}

static void typical_sums(struct slow_typical *t)
{
	const struct calls *c = t->c;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t call = (uint32_t)i;
		uint32_t parent = c->parent.data[i];
		struct slow_function *f = &t->functions[c->sym.data[i].v];
		struct slow_edge *e;
		uint64_t self;
		bool is_overfull;

		if (slow_typical_has(t, call) &&
		    calls_self(c, t->below, call, &self, &is_overfull)) {
			f->n++;
			f->self_ns += (double)self;
		}
		if (parent == INDEX_NONE || !slow_typical_has(t, parent))
			continue;
		f = &t->functions[c->sym.data[parent].v];
		f->children++;
		if (f->timed < SLOW_PEERS_MIN || !calls_is_timed(c, i))
			continue;
		e = typical_edge(t, c->sym.data[parent].v, slow_typical_place(t, call), true);
		if (!e)
			continue;
		e->ns += calls_duration(c, call);
		e->n++;
		e->callers += e->last_caller != parent;
		e->last_caller = parent;
	}
}

void slow_typical_init(struct slow_typical *t, const struct capture *capture,
		       const struct calls_summary *sum, const struct tracer_cost *cost)
{
	memset(t, 0, sizeof(*t));
	t->c = capture->calls;
	t->symbols = capture_symbols(capture);
	t->n_symbols = (uint32_t)t->symbols->rows.len;
	t->functions = xcalloc(t->n_symbols + 1u, sizeof(*t->functions));
	for (uint32_t i = 0; i <= t->n_symbols; i++)
		t->functions[i].limit_ns = UINT64_MAX;
	t->functions[t->n_symbols].kind = CALL_KIND_INTERRUPT;
	t->below = &sum->below;
	t->slow = xcalloc(t->c->n / 64 + 1, sizeof(*t->slow));
	typical_limits(t, sum, cost);
	typical_sums(t);
}

void slow_typical_fini(struct slow_typical *t)
{
	free(t->functions);
	free(t->slow);
	VEC_FREE(&t->edges);
	idmap_fini(&t->edges_map);
}
