/* SPDX-License-Identifier: MIT */
/*
 * calls_summary.h - where a function graph spent its time
 *
 * Times are nanoseconds as printed, the tracer's own cost included.
 *   total  durations of topmost calls only: a call below another call of the
 *          same function (module, category, pattern) is not added again. A call
 *          without a duration does not hide what is below it.
 *   self   duration less the durations of the calls directly below. An unclosed
 *          call has none. The children of an orphan (only its end is in the
 *          trace) are not known to be its children, so its self time is not
 *          known and not added either; `no_self` counts both.
 *          Its time holds that of the calls that ended inside it, though: those
 *          are not topmost then.
 * Where the trace is whole, self times sum up to the totals of the roots.
 *   asleep, irq  parts of total in which the task did not run, or an interrupt
 *          did: calls_away.h. `away` says whether they could be told.
 *
 * Cost: O(calls) and one sort of the functions. Memory while it runs: 20 bytes a
 * call at most, freed on return; what stays is by function, and 8 bytes a call in
 * `below`.
 */
#ifndef ANALYSES_CALLS_SUMMARY_H
#define ANALYSES_CALLS_SUMMARY_H

#include "analyses/calls/calls_away.h"
#include "analyses/calls/calls_below.h"
#include "analyses/categories.h"
#include "core/capture.h"

struct calls_function {
	sym_id sym;
	category_id category;
	uint64_t calls;
	uint64_t leaf; /* of them printed as one line `f();` */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns;      /* of total_ns */
	uint64_t irq_ns;         /* of total_ns */
	uint64_t self_asleep_ns; /* of self_ns */
	uint64_t topmost;        /* calls of total_ns */
	uint64_t below;          /* calls in the subtrees of those, themselves included */
	uint64_t self_known;     /* calls of self_ns */
	uint64_t children;       /* calls directly below those */
	uint64_t timed;  /* calls with a duration; the figures below are about these, 0 if none */
	uint64_t min_ns; /* of single calls, children included */
	uint64_t p50_ns; /* nearest rank: the smallest with at least half of them at or below */
	uint64_t p99_ns;
	uint64_t max_ns;
	uint32_t max_call; /* the first call that took max_ns; INDEX_NONE if none is timed */
	uint32_t max_line; /* its original line; 0 if none */
};

/* Calls of one module or one category. */
struct calls_group {
	uint64_t calls;
	uint64_t functions;
	uint64_t topmost; /* calls with no timed call of the same group above, themselves timed */
	uint64_t total_ns;
	uint64_t self_ns;
	uint64_t asleep_ns; /* of total_ns */
	uint64_t irq_ns;    /* of total_ns */
};

struct calls_module {
	str_id module; /* STR_ID_NONE: the kernel proper, or with is_user the program */
	bool is_user;
	struct calls_group sum;
};

/* Each category counts its sub-categories in: "network" holds "network/vxlan". */
struct calls_category {
	category_id category;
	struct calls_group sum;
};

/*
 * Calls of one task or one CPU. total: of calls without a timed caller that began
 * there. A task's calls may begin on one CPU and end on another: the CPU is where
 * they began.
 */
struct calls_lane_sum {
	uint32_t lane; /* a row of calls.lanes: its task, or its CPU */
	struct calls_group sum;
};

/* Calls at the margin of their task: without a caller in the trace. */
struct calls_root {
	sym_id sym;
	uint32_t first_call;
	uint32_t line; /* of first_call, in the original input */
	uint64_t calls;
	uint64_t total_ns;
};

struct calls_summary {
	uint64_t calls;
	uint64_t leaf;   /* printed as one line `f();` */
	uint64_t nested; /* the others */
	uint64_t orphans;
	uint64_t unclosed;
	uint64_t after_loss;
	uint64_t lost_events;  /* as the trace says; a lower bound with lost_unknown */
	uint64_t lost_unknown; /* notes of loss without a count */
	uint64_t untimed;      /* calls without a duration, unclosed ones included */
	uint64_t no_self;      /* calls whose self time is not known */
	uint64_t overfull;     /* calls shorter than the calls below them: self taken as 0 */
	uint32_t max_depth;    /* as printed, 0 at the margin */
	uint64_t root_calls;
	uint64_t root_total_ns;  /* topmost time of all: calls without a timed caller */
	uint64_t root_topmost;   /* calls of root_total_ns */
	uint64_t root_below;     /* calls in the subtrees of those, themselves included */
	uint64_t root_asleep_ns; /* of root_total_ns */
	uint64_t root_irq_ns;    /* of root_total_ns */
	uint64_t children;       /* calls directly below calls whose self time is known */
	uint64_t self_total_ns;
	VEC(struct calls_function) functions;  /* most self time first, then by first call */
	VEC(struct calls_module) modules;      /* most self time first */
	VEC(struct calls_category) categories; /* only those with calls; most self time first */
	VEC(struct calls_root) roots;          /* by function, most total time first */
	VEC(struct calls_lane_sum) tasks;      /* most total time first; none without tasks */
	VEC(struct calls_lane_sum) cpus;       /* most total time first; none without CPUs */
	struct calls_away away;
	struct calls_below below; /* of each call, for the other analyses of the same capture */
};

/*
 * Owner of @ret: caller, calls_summary_fini(); zeroed on error.
 * Errors: ERR_USAGE when @capture has no calls.
 */
MUST_CHECK int calls_summary_compute(const struct capture *capture, struct category_cache *cats,
				     struct calls_summary *ret, struct error *err);
void calls_summary_fini(struct calls_summary *s);

#endif
