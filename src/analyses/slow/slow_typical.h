/* SPDX-License-Identifier: MIT */
/*
 * slow_typical.h - typical time of a function's calls, and the parts of this time
 *
 * For slow_calls.c. The parts are the mean self time of a call, and the mean time of each directly
 * called function. Slow calls do not count in the means.
 */
#ifndef ANALYSES_SLOW_TYPICAL_H
#define ANALYSES_SLOW_TYPICAL_H

#include "analyses/calls/call_kinds.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/slow/slow_calls.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "core/calls.h"

struct calls_below;
struct capture;
struct symbols;
struct tracer_cost;

struct slow_function {
	/*
	 * a call that takes longer than this is slow; UINT64_MAX: no call of the function is slow
	 */
	uint64_t limit_ns;
	uint64_t p50_ns;
	uint64_t timed;
	/* number of calls that are not slow. self_ns and children are sums over these calls */
	uint64_t n;
	double self_ns;
	uint64_t children;
	uint64_t n_slow;
	uint8_t kind; /* enum call_kind */
	/*
	 * about the direct calls of this function by slow_look.call, the call that the search
	 * examines: total time, longest time, number of these calls, and index of the longest one
	 */
	uint64_t here_ns;
	uint64_t here_max_ns;
	uint32_t here_n;
	uint32_t here_call;
};

/* Sums over the direct calls of @callee by @caller. Slow calls of @caller do not count. */
struct slow_edge {
	uint32_t caller;
	uint32_t callee;
	uint64_t ns;
	uint64_t n;
	uint32_t callers; /* number of calls of the caller that call the callee at least once */
	uint32_t last_caller;
};

#define SLOW_NEAR 4096u

struct slow_typical {
	const struct calls *c;
	const struct symbols *symbols;
	const struct calls_below *below; /* durations of callees: calls_summary.below */
	/* one bit per call: it is slow, or its self time is unknown */
	uint64_t *slow;
	/* indexed by symbol; the last element is for all interrupts together */
	struct slow_function *functions;
	/* number of symbols, which is also the index of the element for interrupts */
	uint32_t n_symbols;
	VEC(struct slow_edge) edges;
	uint32_t near[SLOW_NEAR]; /* cache of edges used recently, indexed by a hash */
	struct idmap edges_map;
};

void slow_typical_init(struct slow_typical *t, const struct capture *capture,
		       const struct calls_summary *sum, const struct tracer_cost *cost);
void slow_typical_fini(struct slow_typical *t);

/*
 * Index in slow_typical.functions for the function of a call. All interrupts share the index
 * t->n_symbols.
 */
static inline uint32_t slow_typical_place(const struct slow_typical *t, uint32_t call)
{
	uint32_t sym = t->c->sym.data[call].v;

	return t->functions[sym].kind == CALL_KIND_INTERRUPT ||
			       (t->c->state.data[call] & CALL_IN_IRQ)
		       ? t->n_symbols
		       : sym;
}

static inline bool slow_typical_has(const struct slow_typical *t, uint32_t call)
{
	return !(t->slow[call / 64] >> call % 64 & 1);
}

/* The sums for direct calls of @callee by @caller; all are 0 if there are no such calls. */
struct slow_edge slow_typical_edge(struct slow_typical *t, uint32_t caller, uint32_t callee);

#endif
