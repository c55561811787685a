/* SPDX-License-Identifier: MIT */
/*
 * wall_times.h - the time of threads: running, waiting for a CPU, each kind of wait, the rest
 *
 * For each group of threads of one name in one process. A thread's time is from its first to
 * its last event. All columns add up to it: time in no recorded state is rest_ns.
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
	uint32_t tid;     /* of the only thread; 0: several */
	uint64_t life_ns; /* sum over threads */
	uint64_t ran_ns;
	uint64_t kinds[WAIT_KINDS];
	uint64_t rest_ns;
};

struct wall_times {
	VEC(struct wall_time) rows; /* most time running or waiting with work first */
	struct wall_time all;       /* without kernel threads */
};

/*
 * @c is an off-CPU capture, @w the result of waits_compute(). Cost: O(threads log threads), and
 * O(threads) for each thread that never waited.
 */
void wall_times_compute(const struct capture *c, const struct waits *w, struct wall_times *ret);
void wall_times_fini(struct wall_times *t);

#endif
