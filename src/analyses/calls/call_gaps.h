/* SPDX-License-Identifier: MIT */
/*
 * call_gaps.h - unexplained time inside calls
 *
 * A gap is unexpected self time of a call with callees: much larger than the tracing overhead, and
 * much larger than the self time of the function's other calls. In a gap, the function itself
 * worked, or something happened that the trace does not show: an interrupt (option noirqs), a pause
 * of the virtual CPU, or a call of a function that cannot be traced. The analysis reports only what
 * the trace proves.
 *
 * With the option noirqs, the tracer skips every function that runs while preempt_count shows an
 * interrupt. Two functions at the edges of this time are still recorded: irq_enter_rcu() runs just
 * before preempt_count shows the interrupt, and idle_cpu() runs just after. If these two calls
 * follow each other in the trace, they prove a hidden interrupt.
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
 * The gaps of one function. The time of a gap is the call's self time minus the tracing overhead.
 * The overhead is only known as a range, so `sum` and `worst` are ranges, too. low_ns assumes the
 * largest overhead; high_ns and ns assume the smallest.
 */
struct call_gap {
	sym_id sym;
	uint64_t calls;           /* number of calls of the function that have a gap */
	uint64_t peers;           /* number of all calls of the function */
	struct tracer_span sum;   /* total time of all gaps of the function */
	struct tracer_span worst; /* time of the function's longest gap */
	uint32_t worst_call;
	uint32_t worst_line;
	/* number of calls that have a gap and directly contain a proven hidden interrupt */
	uint64_t interrupts;
	bool worst_has_interrupt;
};

struct hidden_interrupt {
	uint32_t call; /* index of the call of irq_enter_rcu */
	/* line of the call of irq_enter_rcu in the input; idle_cpu is the next call */
	uint32_t line;
	uint32_t parent; /* the interrupted call; INDEX_NONE: not in the trace */
	/*
	 * the interrupt came while the tracer recorded the return of a call. In the trace, the
	 * interrupt's calls are then at least two levels deeper than `parent`, not one
	 */
	bool in_tracer;
};

struct call_gaps {
	/* one row for each function with gaps, longest total time first */
	VEC(struct call_gap) rows;
	/* the first CALL_GAPS_INTERRUPTS_MAX hidden interrupts, in trace order */
	VEC(struct hidden_interrupt) interrupts;
	uint64_t n_interrupts;
	uint64_t calls;         /* number of calls that have a gap, of all functions together */
	struct tracer_span sum; /* total time of all gaps */
};

/*
 * Find gaps and hidden interrupts. If @cost has no estimate of the tracing overhead, only
 * interrupts are found, and `rows` is empty. Owner of @ret: caller, call_gaps_fini().
 */
void call_gaps_find(const struct capture *capture, const struct calls_summary *sum,
		    const struct tracer_cost *cost, struct call_gaps *ret);
void call_gaps_fini(struct call_gaps *g);

/*
 * Whether the calls @first and @second prove a hidden interrupt: @first is irq_enter_rcu() or
 * irq_enter(), @second is idle_cpu(), and they are consecutive calls of one lane (a task on a CPU).
 */
bool call_gaps_is_interrupt(const struct symbols *symbols, const struct calls *c, uint32_t first,
			    uint32_t second);

#endif
