/* SPDX-License-Identifier: MIT */
/*
 * calls_away.h - time during calls in which the task was asleep or interrupted
 *
 * Asleep or preempted: the time between two sched_switch events, for tasks with such events. For
 * other tasks it is the self time of the innermost schedule(), __schedule() or a similar function.
 * That is an upper bound, because it includes the scheduler's own work.
 *
 * In interrupts: the time of interrupt handlers with their callees. Handlers are known by name, or
 * because ftrace prints them between interrupt arrows ("==========>"). If a trace has no such
 * calls, the time between entry and exit events counts. Softirqs that the task itself runs
 * (do_softirq() when it enables bottom halves) count as calls of the task.
 *
 * Cost: O(calls + events). Temporary memory: 2 bits a call, 1 byte a symbol, 4 a lane (a task on
 * one CPU), about 60 a task; result: 24 bytes per call with such time.
 */
#ifndef ANALYSES_CALLS_AWAY_H
#define ANALYSES_CALLS_AWAY_H

#include "base/vec.h"

struct calls_below;
struct capture;

struct call_away {
	uint32_t call;
	uint64_t asleep_ns; /* time asleep within the call, a part of its self time */
	/*
	 * time in interrupts within the call, a part of its self time; for an interrupt handler,
	 * its whole duration
	 */
	uint64_t irq_ns;
};

struct calls_away {
	/* one row for each call with such times, sorted by call */
	VEC(struct call_away) rows;
	/*
	 * reason why no asleep_ns is known, such as a trace without schedule(); NULL: all are known
	 */
	const char *asleep_why_not;
	const char *irq_why_not;
	uint64_t irqs_open; /* number of interrupts whose end is not in the trace */
	/*
	 * the trace has timed sched_switch events: for tasks with such events, asleep_ns is exact
	 */
	bool has_switch_events;
};

/*
 * Find the times of all calls of @capture. @below: the callees' durations, from calls_below_init()
 * for the same capture. Owner of @ret: caller, calls_away_fini().
 */
void calls_away_find(const struct capture *capture, const struct calls_below *below,
		     struct calls_away *ret);
void calls_away_fini(struct calls_away *a);

/* The row of @call in a->rows. If @call has no row, its times are 0. Cost: O(log rows). */
struct call_away calls_away_of(const struct calls_away *a, uint32_t call);

#endif
