/* SPDX-License-Identifier: MIT */
/*
 * slow_typical.h - what a usual call of each function spends, and where
 *
 * For slow_calls.c: means over the calls of a function that are not slow, of
 * its own time and of the time in each function directly below.
 */
#ifndef ANALYSES_SLOW_TYPICAL_H
#define ANALYSES_SLOW_TYPICAL_H

#include "analyses/calls/call_kinds.h"
#include "analyses/calls/calls_below.h"
#include "analyses/calls/slow_calls.h"

struct slow_function {
	uint64_t limit_ns; /* calls that took longer are slow; UINT64_MAX: none are */
	uint64_t p50_ns;
	uint64_t timed;
	uint64_t n; /* calls that are not slow: of the sums below */
	double self_ns;
	uint64_t children;
	uint64_t n_slow;
	uint8_t kind; /* enum call_kind */
	/* of the call that is looked at: its calls of this function */
	uint64_t here_ns;
	uint64_t here_max_ns;
	uint32_t here_n;
	uint32_t here_call; /* the longest */
};

/* Calls of @callee directly below calls of @caller that are not slow. */
struct slow_edge {
	uint32_t caller;
	uint32_t callee;
	uint64_t ns;
	uint64_t n;
	uint32_t callers; /* calls of the caller with at least one */
	uint32_t last_caller;
};

#define SLOW_NEAR 4096u

struct slow_typical {
	const struct calls *c;
	const struct symbols *symbols;
	const struct calls_below *below; /* of the summary */
	uint64_t *slow;                  /* one bit a call: slow, or its self time is not known */
	struct slow_function *functions; /* by symbol; one more: all interrupts together */
	uint32_t n_symbols;              /* the place of that one */
	VEC(struct slow_edge) edges;
	uint32_t near[SLOW_NEAR]; /* edges met lately, by hash */
	struct idmap edges_map;
};

void slow_typical_init(struct slow_typical *t, const struct capture *capture,
		       const struct calls_summary *sum, const struct tracer_cost *cost);
void slow_typical_fini(struct slow_typical *t);

/* The place in functions of a call: interrupts are one. */
static inline uint32_t slow_place(const struct slow_typical *t, uint32_t call)
{
	uint32_t sym = t->c->sym.data[call].v;

	return t->functions[sym].kind == CALL_KIND_INTERRUPT ||
			       (t->c->state.data[call] & CALL_IN_IRQ)
		       ? t->n_symbols
		       : sym;
}

static inline bool slow_is_typical(const struct slow_typical *t, uint32_t call)
{
	return !(t->slow[call / 64] >> call % 64 & 1);
}

/* Zeroed where there is none. */
struct slow_edge slow_typical_edge(struct slow_typical *t, uint32_t caller, uint32_t callee);

#endif
