/* SPDX-License-Identifier: MIT */
/*
 * calls_summary.h - the time in a function graph, by function, module, category, task and CPU
 *
 * Times are in nanoseconds as printed in the trace, so they include the tracing overhead.
 *   total  sum of the durations of topmost calls. For a function (module, category, pattern), a
 *          call is topmost if none of its timed callers belongs to the same function (module,
 *          category, pattern). Otherwise its time is already part of that caller's.
 *   self   duration minus the durations of the direct callees. It is unknown for an open call,
 *          and for an orphan, of which the trace has only the end. `no_self` counts both. The
 *          total of an orphan includes the calls that ended while it ran, so these are not
 *          topmost.
 *   asleep, irq  parts of total in which the task slept, or in which an interrupt ran: see
 *          calls_away.h. `away` says whether they are known.
 * In a complete trace, the sum of all self times equals the sum of the totals of the roots, the
 * calls without a caller.
 *
 * Cost: O(calls) and one sort of the functions. Temporary memory: at most 20 bytes a call; result:
 * rows by function, and 8 bytes a call in `below`.
 */
#ifndef ANALYSES_CALLS_SUMMARY_H
#define ANALYSES_CALLS_SUMMARY_H

#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_below.h"
#include "analyses/categories.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct calls_function {
	sym_id sym;
	category_id category;
	uint64_t calls;
	uint64_t leaf; /* number of calls without callees, printed as one line `f();` */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns;      /* time asleep, a part of total_ns */
	uint64_t irq_ns;         /* time in interrupts, a part of total_ns */
	uint64_t self_asleep_ns; /* time asleep, a part of self_ns */
	uint64_t topmost;        /* number of topmost calls, whose durations are in total_ns */
	/* number of calls in the subtrees of the topmost calls, including the topmost calls */
	uint64_t below;
	/* number of calls with known self time; self_ns is the sum of their self times */
	uint64_t self_known;
	uint64_t children; /* number of direct callees of the calls with known self time */
	/* number of calls with a duration; the members below are about these calls only */
	uint64_t timed;
	uint64_t min_ns; /* shortest duration, callees included; 0: no call is timed */
	/* median and 99th percentile of the durations, by nearest rank */
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t max_ns;
	/* first of the calls with duration max_ns; INDEX_NONE: no call is timed */
	uint32_t max_call;
	uint32_t max_line; /* line of max_call in the input; 0: none */
};

/* Calls of one module or one category. */
struct calls_group {
	uint64_t calls;
	uint64_t functions;
	uint64_t topmost; /* number of timed calls that have no timed caller of the same group */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns; /* time asleep, a part of total_ns */
	uint64_t irq_ns;    /* time in interrupts, a part of total_ns */
};

struct calls_module {
	/* STR_ID_NONE: the kernel without its modules; if is_user is set, the program itself */
	str_id module;
	bool is_user;
	struct calls_group sum;
};

/* A category includes its sub-categories: "network" contains "network/vxlan". */
struct calls_category {
	category_id category;
	struct calls_group sum;
};

/*
 * Calls of one task or of one CPU. sum.total_ns: durations of the calls that began in this task, or
 * on this CPU, and have no timed caller. A call that ended on another CPU counts for the CPU on
 * which it began.
 */
struct calls_lane_sum {
	/*
	 * index in calls.lanes of one of the lanes of this task or CPU; a lane is a task on one CPU
	 */
	uint32_t lane;
	struct calls_group sum;
};

/* The calls of one function that have no caller in the trace. */
struct calls_root {
	sym_id sym;
	uint32_t first_call;
	uint32_t line; /* line of first_call in the input */
	uint64_t calls;
	uint64_t total_ns;
};

struct calls_summary {
	uint64_t calls;
	uint64_t leaf;   /* number of calls without callees, printed as one line `f();` */
	uint64_t nested; /* number of calls that have callees: `calls` minus `leaf` */
	uint64_t orphans;
	uint64_t unclosed;
	uint64_t after_loss;
	/* number of lost events that the trace states; a lower bound if lost_unknown > 0 */
	uint64_t lost_events;
	uint64_t lost_unknown; /* number of messages about lost events without a number */
	uint64_t untimed;      /* number of calls without a duration, including open calls */
	uint64_t no_self;      /* number of calls with unknown self time */
	/*
	 * number of calls whose duration is less than the sum of their callees' durations; their
	 * self time is 0
	 */
	uint64_t overfull;
	uint32_t max_depth; /* largest printed depth; calls without a caller have depth 0 */
	uint64_t root_calls;
	/* sum of the durations of calls without a timed caller (topmost calls) */
	uint64_t root_total_ns;
	uint64_t root_topmost; /* number of calls whose durations are in root_total_ns */
	/*
	 * number of calls in the subtrees of the calls without a timed caller, including these
	 * calls themselves
	 */
	uint64_t root_below;
	uint64_t root_asleep_ns; /* time asleep, a part of root_total_ns */
	uint64_t root_irq_ns;    /* time in interrupts, a part of root_total_ns */
	uint64_t children;       /* number of direct callees of calls with known self time */
	uint64_t self_total_ns;
	/* sorted by self time, largest first, then by first call */
	VEC(struct calls_function) functions;
	VEC(struct calls_module) modules; /* one row per module, largest self time first */
	/* only categories with calls; largest self time first */
	VEC(struct calls_category) categories;
	VEC(struct calls_root) roots; /* one row per function, largest total time first */
	/* largest total time first; empty if tasks are unknown */
	VEC(struct calls_lane_sum) tasks;
	/* largest total time first; empty if CPUs are unknown */
	VEC(struct calls_lane_sum) cpus;
	struct calls_away away;
	/* the durations of callees, for other analyses of the same capture */
	struct calls_below below;
};

/*
 * Compute the summary of @capture. Errors: ERR_USAGE if @capture has no calls. Owner of @ret:
 * caller, calls_summary_fini(); zeroed on error.
 */
MUST_CHECK int calls_summary_compute(const struct capture *capture, struct category_cache *cats,
				     struct calls_summary *ret, struct error *err);
void calls_summary_fini(struct calls_summary *s);

#endif
