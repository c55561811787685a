/* SPDX-License-Identifier: MIT */
/*
 * calls_summary.h - where a function graph spent its time
 *
 * Times are nanoseconds as printed in the trace, tracing overhead included.
 *   total  sum of the durations of topmost calls. A call below another call of the same
 *          function (module, category, pattern) is not topmost: its time is already in that
 *          call. Callees of a call without a duration can be topmost.
 *   self   duration less the durations of the direct callees. An open call has no self time.
 *          An orphan (only its end is in the trace) has unknown callees, so its self time is
 *          unknown and not added. `no_self` counts both. The total of an orphan contains the
 *          calls that ended inside it; these are then not topmost.
 *   asleep, irq  parts of total in which the task did not run, or an interrupt did: see
 *          calls_away.h. `away` says whether they are known.
 * In a complete trace, self times add up to the totals of the roots.
 *
 * Cost: O(calls) and one sort of the functions. Temporary memory: at most 20 bytes a call;
 * result: rows by function, and 8 bytes a call in `below`.
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
	uint64_t asleep_ns;      /* part of total_ns */
	uint64_t irq_ns;         /* part of total_ns */
	uint64_t self_asleep_ns; /* part of self_ns */
	uint64_t topmost;        /* number of calls whose durations are in total_ns */
	/* number of calls in the subtrees of the topmost calls, these included */
	uint64_t below;
	uint64_t self_known; /* number of calls whose self times are in self_ns */
	uint64_t children;   /* number of direct callees of the calls with known self time */
	/*
	 * number of calls with a duration; the figures below are of these calls, 0 if there are
	 * none
	 */
	uint64_t timed;
	uint64_t min_ns; /* shortest duration, callees included */
	/*
	 * median and 99th percentile of the durations by nearest rank: the smallest duration that
	 * at least 50 % (99 %) of all do not exceed
	 */
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t max_ns;
	uint32_t max_call; /* first call with duration max_ns; INDEX_NONE: no call is timed */
	uint32_t max_line; /* line of max_call in the input; 0: none */
};

/* Calls of one module or one category. */
struct calls_group {
	uint64_t calls;
	uint64_t functions;
	uint64_t topmost; /* number of timed calls that have no timed caller of the same group */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns; /* part of total_ns */
	uint64_t irq_ns;    /* part of total_ns */
};

struct calls_module {
	str_id module; /* STR_ID_NONE: the kernel without its modules; with is_user, the program */
	bool is_user;
	struct calls_group sum;
};

/* A category includes its sub-categories: "network" contains "network/vxlan". */
struct calls_category {
	category_id category;
	struct calls_group sum;
};

/*
 * Calls of one task or one CPU. sum.total_ns adds the calls that began on it and have no timed
 * caller. A call may begin on one CPU and end on another; it counts for the first one.
 */
struct calls_lane_sum {
	uint32_t lane; /* index in calls.lanes of a lane of this task or CPU */
	struct calls_group sum;
};

/* Calls without a caller in the trace. */
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
	uint64_t nested; /* number of all other calls */
	uint64_t orphans;
	uint64_t unclosed;
	uint64_t after_loss;
	/* number as stated in the trace; a lower bound if lost_unknown > 0 */
	uint64_t lost_events;
	uint64_t lost_unknown; /* number of loss messages that state no number */
	uint64_t untimed;      /* number of calls without a duration, including open calls */
	uint64_t no_self;      /* number of calls with unknown self time */
	/* number of calls shorter than their callees together; their self time counts as 0 */
	uint64_t overfull;
	uint32_t max_depth; /* depth as printed: calls without a caller have depth 0 */
	uint64_t root_calls;
	uint64_t root_total_ns; /* duration of all topmost calls: those without a timed caller */
	uint64_t root_topmost;  /* number of calls whose durations are in root_total_ns */
	/* number of calls in the subtrees of the topmost calls, these included */
	uint64_t root_below;
	uint64_t root_asleep_ns; /* part of root_total_ns */
	uint64_t root_irq_ns;    /* part of root_total_ns */
	uint64_t children;       /* number of direct callees of calls with known self time */
	uint64_t self_total_ns;
	VEC(struct calls_function) functions; /* largest self time first, then by first call */
	VEC(struct calls_module) modules;     /* largest self time first */
	/* only categories with calls; largest self time first */
	VEC(struct calls_category) categories;
	VEC(struct calls_root) roots; /* one row per function, largest total time first */
	/* largest total time first; empty if tasks are unknown */
	VEC(struct calls_lane_sum) tasks;
	/* largest total time first; empty if CPUs are unknown */
	VEC(struct calls_lane_sum) cpus;
	struct calls_away away;
	struct calls_below below; /* kept for other analyses of the same capture */
};

/*
 * Compute the summary of @capture. Errors: ERR_USAGE if @capture has no calls. Owner of @ret:
 * caller, calls_summary_fini(); zeroed on error.
 */
MUST_CHECK int calls_summary_compute(const struct capture *capture, struct category_cache *cats,
				     struct calls_summary *ret, struct error *err);
void calls_summary_fini(struct calls_summary *s);

#endif
