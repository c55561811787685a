/* SPDX-License-Identifier: MIT */
/*
 * wall_times.h - the wall-clock time of threads, divided into running, each kind of wait, and the
 * rest
 *
 * All threads of a process with the same name are one row. The time of a thread, life_ns, is the
 * time from its first to its last event. It is the sum of ran_ns, the waits in `kinds`, and
 * rest_ns, the time in which no record shows the state of the thread.
 */
#ifndef ANALYSES_WALL_TIMES_H
#define ANALYSES_WALL_TIMES_H

#include "analyses/waits/waits.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct wall_time {
	uint32_t pid;
	str_id comm;
	uint32_t threads;
	uint32_t tid;     /* thread id; 0: the row combines several threads */
	uint64_t life_ns; /* from here on, members are sums over the threads of the row */
	uint64_t ran_ns;
	uint64_t kinds[WAIT_KINDS];
	uint64_t rest_ns;
};

struct wall_times {
	/* sorted by the sum of running time and WAIT_BUSY_KINDS, longest first */
	VEC(struct wall_time) rows;
	struct wall_time all; /* sum over all rows; kernel threads have no rows */
};

/*
 * Compute wall times. @c: an off-CPU capture; @w: result of waits_compute(). Cost: O(threads log
 * threads), and O(threads) for each thread that never waited.
 */
void wall_times_compute(const struct capture *c, const struct waits *w, struct wall_times *ret);
void wall_times_fini(struct wall_times *t);

#endif
