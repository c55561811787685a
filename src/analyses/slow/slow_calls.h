/* SPDX-License-Identifier: MIT */
/*
 * slow_calls.h - find calls that took much longer than others of their function, and the cause
 *
 * A call is slow if its duration is above a limit: three times the median of its function. The
 * limit must also exceed the median by a multiple of the tracing overhead. While more than a fifth
 * of a function's calls are slow, the function's limit is doubled, at most three times. If more
 * than a fifth are still slow, the function has no typical call and is skipped.
 *
 * The excess over the typical time is split into self time and the time of each directly called
 * function. Each part is compared with the same part of calls that are not slow. If one part has
 * most of the excess, the search continues in the slowest call of this part. The search ends at
 * self time, at a path that other calls never take, or at a call whose excess has no single cause.
 *
 * A slow callee that explains a slow call is not reported again. Slow calls with the same function,
 * cause and responsible function are in one row. `is_certain` separates measured facts from
 * conclusions.
 *
 * Cost: expected O(calls). Temporary memory: 16 bytes and one bit a call, 48 to 70 bytes a pair of
 * caller and callee (at most SLOW_CALLS_EDGES_MAX pairs), 60 a symbol. Result: rows, and 4 bytes a
 * slow call.
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
/* minimum number of timed calls from which a typical time is computed */
#define SLOW_PEERS_MIN 5u

enum slow_cause {
	SLOW_OWN_TIME,  /* more self time than other calls, for no visible reason */
	SLOW_CHILD,     /* a direct or indirect callee was itself slow */
	SLOW_RARE_PATH, /* the call has a callee that other calls never or rarely have */
	/* the call has the same callees as other calls, but calls them more often */
	SLOW_MORE_CALLS,
	SLOW_SLEEP, /* the task gave up the CPU */
	/*
	 * an interrupt ran during the call: either it was recorded, or two calls prove it
	 * (call_gaps.h)
	 */
	SLOW_INTERRUPT,
	/* an allocator had to refill its cache, unlike in other calls */
	SLOW_ALLOCATION,
	SLOW_LOST_EVENTS, /* events were lost during the call, so some of its callees are missing */
	SLOW_SPREAD,      /* the excess is in several parts: there is no single cause */
	SLOW_CAUSES,
};

struct slow_call {
	sym_id sym;
	uint8_t cause;   /* enum slow_cause */
	bool is_certain; /* the cause was measured in the trace, not inferred */
	uint64_t calls;  /* number of calls in this row */
	uint64_t sum_excess_ns;
	/* `call`, `line` and `total_ns` are those of the slowest call of the row */
	uint32_t call;
	uint32_t line;
	uint64_t total_ns;
	uint64_t typical_ns; /* median duration of the function's calls */
	uint64_t peers;      /* number of timed calls of the function */
	/*
	 * the function that is the cause; for SLOW_OWN_TIME, the function of the slow call itself
	 */
	sym_id because;
	/* the call that is the cause; INDEX_NONE: several calls together are the cause */
	uint32_t because_call;
	uint32_t because_line; /* line of because_call in the input; 0: none */
	uint64_t because_ns;
	/* typical time of a call of `because` (median or mean), in ns; < 0: too few calls */
	double because_typical_ns;
	/* number of direct calls of `because` in the call at which the search ended */
	uint64_t because_calls;
	double because_typical_calls;
	/* number of levels from the slow call to its cause */
	uint32_t steps;
	/*
	 * the calls of this row are slow_calls.each[first] to each[first + kept - 1]. Calls beyond
	 * SLOW_CALLS_EACH_MAX are missing
	 */
	uint32_t first;
	uint32_t kept;
};

struct slow_calls {
	VEC(struct slow_call) rows; /* largest sum of excess time first */
	/* slow calls of all rows, row by row, and in the order of the trace within a row */
	VEC(uint32_t) each;
	uint64_t calls; /* number of reported slow calls */
	/* number of slow calls without a row, because there are SLOW_CALLS_ROWS_MAX rows */
	uint64_t not_kept;
	/* number of slow calls that are not reported, because they explain a reported slow call */
	uint64_t explained;
};

/*
 * Find the slow calls of @capture and their causes. @sum and @cost must be from the same capture.
 * Owner of @ret: caller, slow_calls_fini().
 */
void slow_calls_find(const struct capture *capture, const struct calls_summary *sum,
		     const struct tracer_cost *cost, struct slow_calls *ret);
void slow_calls_fini(struct slow_calls *s);

/* Name of a cause in machine-readable output: "own-time", "slow-child", …. */
const char *slow_cause_name(enum slow_cause cause);

#endif
