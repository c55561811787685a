/* SPDX-License-Identifier: MIT */
/*
 * slow_calls.h - why single calls took much longer than others of their function
 *
 * A call is slow if it took three times the median of its function and the difference is large
 * compared with the tracing overhead. A function with more than a fifth of "slow" calls has no
 * typical call and is skipped. The difference is split into own time and the time in each
 * directly called function, each compared with calls that are not slow. If one part has most of
 * it, the search descends into that part. It ends in own time, in a path that others never
 * take, or without a single cause.
 *
 * Slow calls on the way down are not reported again. Equal findings (function, cause,
 * responsible function) share a row.
 *
 * `is_certain` distinguishes measured facts from conclusions.
 *
 * Cost: O(calls) expected. Temporary memory: 16 bytes and one bit a call, 48 to 70 bytes a pair
 * of caller and callee (SLOW_CALLS_EDGES_MAX at most), 60 a symbol. Result: by row, and 4 bytes
 * a slow call.
 */
#ifndef ANALYSES_SLOW_CALLS_H
#define ANALYSES_SLOW_CALLS_H

#include "base/vec.h"
#include "core/ids.h"

struct calls_summary;
struct capture;
struct tracer_cost;

#define SLOW_CALLS_EDGES_MAX (UINT32_C(1) << 20)
#define SLOW_CALLS_ROWS_MAX  4096u
#define SLOW_CALLS_EACH_MAX  (UINT32_C(1) << 20)
#define SLOW_PEERS_MIN       5u /* minimum of timed calls to define a typical one */

enum slow_cause {
	SLOW_OWN_TIME,    /* more own time than others, for no visible reason */
	SLOW_CHILD,       /* a callee, perhaps several levels below, was slow itself */
	SLOW_RARE_PATH,   /* a callee that others (nearly) never call */
	SLOW_MORE_CALLS,  /* the same callees, but more calls */
	SLOW_SLEEP,       /* it gave up the CPU */
	SLOW_INTERRUPT,   /* an interrupt ran inside, recorded or proven by its remains */
	SLOW_ALLOCATION,  /* an allocator path that others do not take: a refill */
	SLOW_LOST_EVENTS, /* events were lost inside: callees are missing */
	SLOW_SPREAD,      /* longer in several places: no single cause */
	SLOW_CAUSES,
};

struct slow_call {
	sym_id sym;
	uint8_t cause;   /* enum slow_cause */
	bool is_certain; /* measured in the trace, not inferred */
	uint64_t calls;  /* number of calls in this row */
	uint64_t sum_excess_ns;
	/* the worst call */
	uint32_t call;
	uint32_t line;
	uint64_t total_ns;
	uint64_t typical_ns; /* median of its function */
	uint64_t peers;      /* timed calls of its function */
	/* the function that causes it; for own time the call itself */
	sym_id because;
	uint32_t because_call; /* INDEX_NONE: several */
	uint32_t because_line; /* 0: none */
	uint64_t because_ns;
	double because_typical_ns; /* < 0: no other calls to compare with */
	uint64_t because_calls;    /* calls of `because`, for SLOW_MORE_CALLS */
	double because_typical_calls;
	uint32_t steps; /* levels from the call down to the cause */
	/* index of its first call in slow_calls.each, and the number of its calls there: `each`
	 * has SLOW_CALLS_EACH_MAX calls at most */
	uint32_t first;
	uint32_t kept;
};

struct slow_calls {
	VEC(struct slow_call) rows; /* largest excess first */
	VEC(uint32_t) each;         /* calls of the rows, row by row, in trace order */
	uint64_t calls;             /* number of reported slow calls */
	uint64_t not_kept;          /* findings beyond SLOW_CALLS_ROWS_MAX rows */
	uint64_t explained;         /* slow calls covered by a reported caller */
};

/* Owner of @ret: caller, slow_calls_fini(). @sum and @cost belong to the same capture. */
void slow_calls_find(const struct capture *capture, const struct calls_summary *sum,
		     const struct tracer_cost *cost, struct slow_calls *ret);
void slow_calls_fini(struct slow_calls *s);

/* Name for programs: "own-time", "slow-child", .... */
const char *slow_cause_name(enum slow_cause cause);

#endif
