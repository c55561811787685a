/* SPDX-License-Identifier: MIT */
/*
 * calls_away.h - time inside calls in which the task did not run its own code
 *
 * Asleep (or preempted): from sched_switch events with times, for tasks that have them.
 * Otherwise at most the self time of the innermost schedule(), __schedule() or similar, which
 * includes the scheduler's own work.
 *
 * In interrupts: calls of interrupt handlers (by name, or between the arrows) with their
 * callees, otherwise the time between entry and exit events. Softirqs run by the task itself
 * (do_softirq() when it enables bottom halves) are its own calls.
 *
 * Cost: O(calls + marks). Temporary memory: 2 bits a call, 1 byte a symbol, 4 a lane, about
 * 60 a task; result: 24 bytes per call with such time.
 */
#ifndef ANALYSES_CALLS_AWAY_H
#define ANALYSES_CALLS_AWAY_H

#include "base/vec.h"

struct calls_below;
struct capture;

struct call_away {
	uint32_t call;
	uint64_t asleep_ns; /* part of its self time */
	uint64_t irq_ns;    /* part of its self time; for a handler its whole time */
};

struct calls_away {
	VEC(struct call_away) rows; /* by call; each call once */
	/* NULL: the time is known; otherwise a phrase: why it is unknown, or that there is none */
	const char *asleep_why_not;
	const char *irq_why_not;
	bool has_switch_events; /* timed events: asleep is exact for the tasks in them */
};

/* @below: of the same capture. Owner of @ret: caller, calls_away_fini(). */
void calls_away_find(const struct capture *capture, const struct calls_below *below,
		     struct calls_away *ret);
void calls_away_fini(struct calls_away *a);

/* The row of @call; zeroed, except for the call, if there is none. Cost: O(log rows). */
struct call_away calls_away_of(const struct calls_away *a, uint32_t call);

#endif
