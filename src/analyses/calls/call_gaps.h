/* SPDX-License-Identifier: MIT */
/*
 * call_gaps.h - time inside calls that nobody in the trace accounts for
 *
 * A gap is self time of a call with calls below it that is beyond the tracer's
 * cost, large beside that cost, and not what calls of its function take anyway
 * (as far as there are others). It is the call's own work, or something that
 * the tracer does not show: an interrupt (noirqs), a pause of the virtual CPU,
 * functions that cannot be traced. Only what the trace proves is claimed.
 *
 * A hidden interrupt is proven by its remains: with `noirqs` the kernel records
 * irq_enter_rcu(), which runs before the interrupt is counted, and idle_cpu(),
 * which runs after it, and nothing between them.
 *
 * Cost: O(calls). Memory while it runs: 8 bytes a call, 4 a lane, 40 a symbol.
 */
#ifndef ANALYSES_CALL_GAPS_H
#define ANALYSES_CALL_GAPS_H

#include "analyses/tracer/tracer_cost.h"

#define CALL_GAPS_INTERRUPTS_MAX 1024u

/*
 * The gaps of one function. A time is what lies beyond the tracer's cost at its
 * least (ns is high_ns); low_ns is what lies beyond it at its most.
 */
struct call_gap {
	sym_id sym;
	uint64_t calls;           /* with a gap */
	uint64_t peers;           /* calls of the function */
	struct tracer_span sum;   /* of all gaps */
	struct tracer_span worst; /* of one */
	uint32_t worst_call;
	uint32_t worst_line;
	uint64_t interrupts; /* hidden ones proven directly inside the calls with a gap */
	bool worst_has_interrupt;
};

struct hidden_interrupt {
	uint32_t call;   /* the row of irq_enter_rcu */
	uint32_t line;   /* its original line; idle_cpu follows */
	uint32_t parent; /* the call that it interrupted; INDEX_NONE: none in the trace */
	bool in_tracer;  /* too deep for its place: it hit the tracer's own hook on return */
};

struct call_gaps {
	VEC(struct call_gap) rows;               /* most time first */
	VEC(struct hidden_interrupt) interrupts; /* in order; the first so many */
	uint64_t n_interrupts;
	uint64_t calls;         /* with a gap */
	struct tracer_span sum; /* of all rows */
};

/*
 * Without an estimate of the tracer's cost there are no rows, only interrupts.
 * Owner of @ret: caller, call_gaps_fini().
 */
void call_gaps_find(const struct capture *capture, const struct calls_summary *sum,
		    const struct tracer_cost *cost, struct call_gaps *ret);
void call_gaps_fini(struct call_gaps *g);

/*
 * Whether the calls @first and @second, in this order and of one lane, are what
 * a hidden interrupt leaves.
 */
bool call_gaps_is_interrupt(const struct symbols *symbols, const struct calls *c, uint32_t first,
			    uint32_t second);

#endif
