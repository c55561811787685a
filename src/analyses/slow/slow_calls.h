/* SPDX-License-Identifier: MIT */
/*
 * slow_calls.h - why single calls took much longer than other calls of their function
 *
 * A call is slow if it took three times the median of its function and the excess is large
 * compared with the tracing overhead. A function with more than a fifth of slow calls has no
 * typical call and is skipped. The excess over the typical time is split into self time and the
 * time of each directly called function; each part is compared with the same part of calls that
 * are not slow. If one part has most of the excess, the search descends into it. The search ends
 * in self time, in a path that other calls never take, or without a single cause.
 *
 * Slow calls that the search passes through are not reported again. Equal findings (function,
 * cause, responsible function) share a row. `is_certain` separates measured facts from conclusions.
 *
 * Cost: expected O(calls). Temporary memory: 16 bytes and one bit a call, 48 to 70 bytes a pair
 * of caller and callee (at most SLOW_CALLS_EDGES_MAX pairs), 60 a symbol. Result: rows, and 4
 * bytes a slow call.
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
#define SLOW_PEERS_MIN       5u /* minimum number of timed calls for a typical time */

enum slow_cause {
	SLOW_OWN_TIME,   /* more self time than other calls, for no visible reason */
	SLOW_CHILD,      /* a callee, perhaps several levels below, was slow itself */
	SLOW_RARE_PATH,  /* a callee that other calls never or rarely call */
	SLOW_MORE_CALLS, /* the same callees as other calls, but called more often */
	SLOW_SLEEP,      /* the task gave up the CPU */
	/* an interrupt ran inside the call: recorded, or proven by the calls that it left */
	SLOW_INTERRUPT,
	/* an allocator had to refill its cache, on a path that other calls do not take */
	SLOW_ALLOCATION,
	SLOW_LOST_EVENTS, /* events were lost inside the call: callees are missing */
	SLOW_SPREAD,      /* excess in several parts: no single cause */
	SLOW_CAUSES,
};

struct slow_call {
	sym_id sym;
	uint8_t cause;   /* enum slow_cause */
	bool is_certain; /* measured in the trace, not inferred */
	uint64_t calls;  /* number of calls in this row */
	uint64_t sum_excess_ns;
	/* the slowest call of the row */
	uint32_t call;
	uint32_t line;
	uint64_t total_ns;
	uint64_t typical_ns; /* median duration of its function */
	uint64_t peers;      /* number of timed calls of its function */
	/* the function that is the cause; the call's own function if self time is the cause */
	sym_id because;
	uint32_t because_call; /* the call that is the cause; INDEX_NONE: several calls */
	uint32_t because_line; /* line of because_call in the input; 0: none */
	uint64_t because_ns;
	/* typical time of `because` (median or mean); < 0: too few calls to compare with */
	double because_typical_ns;
	uint64_t because_calls; /* number of calls of `because` in the slow call's callees */
	double because_typical_calls;
	uint32_t steps; /* number of levels from the call down to the cause */
	/*
	 * the row's calls are slow_calls.each[first … first + kept - 1]; `each` has at most
	 * SLOW_CALLS_EACH_MAX calls, so some of the row's calls may be missing
	 */
	uint32_t first;
	uint32_t kept;
};

struct slow_calls {
	VEC(struct slow_call) rows; /* largest sum of excess first */
	/* slow calls of all rows, row by row, in trace order within a row */
	VEC(uint32_t) each;
	uint64_t calls;    /* number of reported slow calls */
	uint64_t not_kept; /* number of findings beyond SLOW_CALLS_ROWS_MAX rows */
	/* number of slow calls not reported because they explain a reported caller */
	uint64_t explained;
};

/*
 * Find slow calls and their causes. @sum and @cost must belong to @capture. Owner of @ret:
 * caller, slow_calls_fini().
 */
void slow_calls_find(const struct capture *capture, const struct calls_summary *sum,
		     const struct tracer_cost *cost, struct slow_calls *ret);
void slow_calls_fini(struct slow_calls *s);

/* Name of a cause in machine-readable output: "own-time", "slow-child", …. */
const char *slow_cause_name(enum slow_cause cause);

#endif
