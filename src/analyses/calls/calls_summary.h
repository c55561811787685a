/* SPDX-License-Identifier: MIT */
/*
 * calls_summary.h - where a function graph spent its time
 *
 * Times are nanoseconds as printed, the tracing overhead included.
 *   total  durations of topmost calls only: a call below another call of the
 *          same function (module, category, pattern) is not added again. A call
 *          without a duration does not hide its callees.
 *   self   duration less the durations of the direct callees. An open call has
 *          none. The callees of an orphan (only its end is in the trace) are
 *          unknown, so its self time is unknown and not added either; `no_self`
 *          counts both. Its total contains the calls that ended inside it, which
 *          are then not topmost.
 * In a complete trace, self times add up to the totals of the roots.
 *   asleep, irq  parts of total in which the task did not run, or an interrupt
 *          did: calls_away.h. `away` states whether they are known.
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
	uint64_t leaf; /* calls printed as one line `f();` */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns;      /* of total_ns */
	uint64_t irq_ns;         /* of total_ns */
	uint64_t self_asleep_ns; /* of self_ns */
	uint64_t topmost;        /* calls in total_ns */
	uint64_t below;          /* calls in their subtrees, themselves included */
	uint64_t self_known;     /* calls in self_ns */
	uint64_t children;       /* direct callees of these */
	/* calls with a duration; the following figures refer to these, 0 if none */
	uint64_t timed;
	uint64_t min_ns; /* of single calls, callees included */
	/* nearest rank: the smallest value with at least half of all at or below it */
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t max_ns;
	uint32_t max_call; /* first call with max_ns; INDEX_NONE if none is timed */
	uint32_t max_line; /* its original line; 0 if none */
};

/* Calls of one module or one category. */
struct calls_group {
	uint64_t calls;
	uint64_t functions;
	uint64_t topmost; /* timed calls without a timed caller of the same group */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns; /* of total_ns */
	uint64_t irq_ns;    /* of total_ns */
};

struct calls_module {
	str_id module; /* STR_ID_NONE: the kernel without modules, or with is_user the program */
	bool is_user;
	struct calls_group sum;
};

/* A category includes its sub-categories: "network" contains "network/vxlan". */
struct calls_category {
	category_id category;
	struct calls_group sum;
};

/*
 * Calls of one task or one CPU. total: calls without a timed caller that began there. A call
 * may begin on one CPU and end on another; it counts for the first.
 */
struct calls_lane_sum {
	uint32_t lane; /* a row of calls.lanes with its task, or its CPU */
	struct calls_group sum;
};

/* Calls without a caller in the trace. */
struct calls_root {
	sym_id sym;
	uint32_t first_call;
	uint32_t line; /* of first_call, in the original input */
	uint64_t calls;
	uint64_t total_ns;
};

struct calls_summary {
	uint64_t calls;
	uint64_t leaf;   /* calls printed as one line `f();` */
	uint64_t nested; /* all other calls */
	uint64_t orphans;
	uint64_t unclosed;
	uint64_t after_loss;
	uint64_t lost_events;  /* as stated in the trace; a lower bound if lost_unknown */
	uint64_t lost_unknown; /* loss messages without a count */
	uint64_t untimed;      /* calls without a duration, open ones included */
	uint64_t no_self;      /* calls with unknown self time */
	uint64_t overfull;     /* calls shorter than their callees: self time set to 0 */
	uint32_t max_depth;    /* as printed, 0 at the margin */
	uint64_t root_calls;
	uint64_t root_total_ns;  /* time of all topmost calls: those without a timed caller */
	uint64_t root_topmost;   /* calls in root_total_ns */
	uint64_t root_below;     /* calls in their subtrees, themselves included */
	uint64_t root_asleep_ns; /* of root_total_ns */
	uint64_t root_irq_ns;    /* of root_total_ns */
	uint64_t children;       /* direct callees of calls with known self time */
	uint64_t self_total_ns;
	VEC(struct calls_function) functions;  /* largest self time first, then by first call */
	VEC(struct calls_module) modules;      /* largest self time first */
	VEC(struct calls_category) categories; /* only those with calls; largest self time first */
	VEC(struct calls_root) roots;          /* by function, largest total time first */
	/* largest total time first; empty if tasks are unknown */
	VEC(struct calls_lane_sum) tasks;
	/* largest total time first; empty if CPUs are unknown */
	VEC(struct calls_lane_sum) cpus;
	struct calls_away away;
	struct calls_below below; /* by call, for other analyses of the same capture */
};

/*
 * Owner of @ret: caller, calls_summary_fini(); zeroed on error. Errors: ERR_USAGE if @capture
 * has no calls.
 */
MUST_CHECK int calls_summary_compute(const struct capture *capture, struct category_cache *cats,
				     struct calls_summary *ret, struct error *err);
void calls_summary_fini(struct calls_summary *s);

#endif
