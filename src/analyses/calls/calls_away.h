/* SPDX-License-Identifier: MIT */
/*
 * calls_away.h - time inside calls in which their task did not run their code
 *
 * Asleep (or preempted): from sched_switch events with times, of the tasks that
 * have them; else at most the self time of the innermost of schedule(),
 * __schedule() and their like, in which the scheduler's own work is counted too.
 *
 * In interrupts: calls of interrupt handlers (by name, or between the arrows),
 * with all below them; else between the events of entry and exit, with times.
 * Softirqs that a task runs itself (do_softirq() when it enables bottom halves)
 * are its own calls.
 *
 * Cost: O(calls + marks). Memory while it runs: 1 bit a call, 12 bytes a lane,
 * 24 a task; what stays is 24 bytes a call that has such time.
 */
#ifndef ANALYSES_CALLS_AWAY_H
#define ANALYSES_CALLS_AWAY_H

#include "analyses/calls/calls_below.h"
#include "core/capture.h"

struct call_away {
	uint32_t call;
	uint64_t asleep_ns; /* of its self time */
	uint64_t irq_ns;    /* of its self time; all of its time if it is a handler itself */
};

struct calls_away {
	VEC(struct call_away) rows; /* by call, each call once */
	/* NULL: split out; else a phrase: why it is not known, or that there is none */
	const char *asleep_why_not;
	const char *irq_why_not;
	bool has_switch_events; /* with times: asleep is exact for the tasks that they name */
};

/* @below: of the same capture. Owner of @ret: caller, calls_away_fini(). */
void calls_away_find(const struct capture *capture, const struct calls_below *below,
		     struct calls_away *ret);
void calls_away_fini(struct calls_away *a);

/* Zeroed but for the call where there is none. Cost: O(log rows). */
struct call_away calls_away_of(const struct calls_away *a, uint32_t call);

#endif
