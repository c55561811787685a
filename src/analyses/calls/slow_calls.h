/* SPDX-License-Identifier: MIT */
/*
 * slow_calls.h - why single calls took much longer than others of their function
 *
 * A call is slow when it took three times the median of its function and the
 * difference is large beside the tracer's cost; a function of which every fifth
 * call is "slow" has no typical call, and is left alone. The difference is then
 * split: the call's own time, and the time in each function directly below,
 * each against what the calls that are not slow spend there. Where one part has
 * most of it, the search goes down into that part, until it ends in own time,
 * in a path that others never take, or in no single part.
 *
 * Slow calls on the way down are not reported again. Equal findings (function,
 * cause, function to blame) are one row.
 *
 * What was measured in the trace is certain; what is concluded is not, and says
 * so: `is_certain`.
 *
 * Cost: O(calls) expected. Memory while it runs: 16 bytes a call and one bit,
 * 48 to 70 a pair of caller and callee (SLOW_CALLS_EDGES_MAX at most), 60 a
 * symbol. What stays is by row, and 4 bytes a slow call.
 */
#ifndef ANALYSES_SLOW_CALLS_H
#define ANALYSES_SLOW_CALLS_H

#include "analyses/tracer/tracer_cost.h"

#define SLOW_CALLS_EDGES_MAX (UINT32_C(1) << 20)
#define SLOW_CALLS_ROWS_MAX  4096u
#define SLOW_CALLS_EACH_MAX  (UINT32_C(1) << 20)
#define SLOW_PEERS_MIN       5u /* timed calls of a function that make a typical one */

enum slow_cause {
	SLOW_OWN_TIME,    /* more time between its calls than others, and nothing says why */
	SLOW_CHILD,       /* one call below it, perhaps far below, took long itself */
	SLOW_RARE_PATH,   /* a function below that others (nearly) never call */
	SLOW_MORE_CALLS,  /* the same calls below, but more of them */
	SLOW_SLEEP,       /* it gave the CPU away */
	SLOW_INTERRUPT,   /* an interrupt ran inside, seen or proven by its remains */
	SLOW_ALLOCATION,  /* a path of the allocator that others do not take: a refill */
	SLOW_LOST_EVENTS, /* events were lost inside: calls below are missing */
	SLOW_SPREAD,      /* longer in several places: no single cause */
	SLOW_CAUSES,
};

struct slow_call {
	sym_id sym;
	uint8_t cause;   /* enum slow_cause */
	bool is_certain; /* measured in the trace, not concluded */
	uint64_t calls;  /* folded into this row */
	uint64_t sum_excess_ns;
	/* the worst of them */
	uint32_t call;
	uint32_t line;
	uint64_t total_ns;
	uint64_t typical_ns; /* median of its function */
	uint64_t peers;      /* timed calls of its function */
	/* what is to blame: the end of the search; the call itself for own time */
	sym_id because;
	uint32_t because_call; /* INDEX_NONE: several */
	uint32_t because_line; /* 0: none */
	uint64_t because_ns;
	double because_typical_ns; /* < 0: no other calls to compare with */
	uint64_t because_calls;    /* of `because`, for SLOW_MORE_CALLS */
	double because_typical_calls;
	uint32_t steps; /* calls between it and what is to blame, that included */
	uint32_t first; /* of its calls in slow_calls.each, `calls` of them save what is not kept */
	uint32_t kept;
};

struct slow_calls {
	VEC(struct slow_call) rows; /* most excess time first */
	VEC(uint32_t) each;         /* calls of the rows, row after row, in order of the trace */
	uint64_t calls;             /* slow ones reported */
	uint64_t not_kept;          /* findings past SLOW_CALLS_ROWS_MAX rows */
	uint64_t explained;         /* slow calls that a call above is reported for */
};

/* Owner of @ret: caller, slow_calls_fini(). @sum, @cost: of the same capture. */
void slow_calls_find(const struct capture *capture, const struct calls_summary *sum,
		     const struct tracer_cost *cost, struct slow_calls *ret);
void slow_calls_fini(struct slow_calls *s);

/* "own-time", "slow-child", ... for programs. */
const char *slow_cause_name(enum slow_cause cause);

#endif
