/* SPDX-License-Identifier: MIT */
/*
 * call_gaps.h - unexplained time inside calls
 *
 * A gap is self time of a call with callees that exceeds the tracing overhead, is large
 * compared with it, and exceeds the self time of the function's other calls (if there are any).
 * It is the call's own work, or time that the trace does not show: an interrupt (noirqs), a
 * pause of the virtual CPU, functions that cannot be traced. Only facts that the trace proves
 * are claimed.
 *
 * A hidden interrupt is proven by its remains. With `noirqs` the kernel records
 * irq_enter_rcu(), which runs before the interrupt is counted, and idle_cpu(), which runs after
 * it, and nothing between them.
 *
 * Cost: O(calls). Temporary memory: 1 bit a call, 4 bytes a lane, 9 a symbol.
 */
#ifndef ANALYSES_CALL_GAPS_H
#define ANALYSES_CALL_GAPS_H

#include "analyses/tracer/tracer_cost.h"
#include "base/vec.h"
#include "core/ids.h"

struct calls;
struct calls_summary;
struct capture;
struct symbols;

#define CALL_GAPS_INTERRUPTS_MAX 1024u

/*
 * The gaps of one function. The time of a gap is the self time less the tracing
 * overhead: low_ns with the highest overhead, high_ns with the lowest; ns is equal to
 * high_ns.
 */
struct call_gap {
	sym_id sym;
	uint64_t calls;           /* calls with a gap */
	uint64_t peers;           /* calls of the function */
	struct tracer_span sum;   /* over all gaps */
	struct tracer_span worst; /* of a single call */
	uint32_t worst_call;
	uint32_t worst_line;
	uint64_t interrupts; /* hidden interrupts proven directly inside calls with a gap */
	bool worst_has_interrupt;
};

struct hidden_interrupt {
	uint32_t call;   /* row of irq_enter_rcu */
	uint32_t line;   /* its original line; idle_cpu follows */
	uint32_t parent; /* interrupted call; INDEX_NONE: none in the trace */
	/* printed deeper than possible at its place: it interrupted the tracer's own return hook */
	bool in_tracer;
};

struct call_gaps {
	VEC(struct call_gap) rows;               /* largest time first */
	VEC(struct hidden_interrupt) interrupts; /* in order; the first CALL_GAPS_INTERRUPTS_MAX */
	uint64_t n_interrupts;
	uint64_t calls;         /* calls with a gap */
	struct tracer_span sum; /* over all rows */
};

/*
 * Find gaps. Without an estimate of the tracing overhead there are only interrupts, no rows.
 * Owner of @ret: caller, call_gaps_fini().
 */
void call_gaps_find(const struct capture *capture, const struct calls_summary *sum,
		    const struct tracer_cost *cost, struct call_gaps *ret);
void call_gaps_fini(struct call_gaps *g);

/*
 * Whether the calls @first and @second, consecutive in one lane, are the remains of a hidden
 * interrupt.
 */
bool call_gaps_is_interrupt(const struct symbols *symbols, const struct calls *c, uint32_t first,
			    uint32_t second);

#endif
