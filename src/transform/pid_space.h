/* SPDX-License-Identifier: MIT */
/*
 * pid_space.h - thread ids in the fields of events, for recordings made in a PID namespace
 *
 * The kernel writes ids of its first namespace into the fields of sched events (prev_pid, next_pid,
 * pid). A recorder in another PID namespace, such as a container, writes the ids of its own one
 * into the samples: kernel/events/core.c, perf_event_tid_p(). At a switch the sample is of the
 * thread that leaves the CPU, which has both ids.
 */
#ifndef TRANSFORM_PID_SPACE_H
#define TRANSFORM_PID_SPACE_H

#include "base/idmap.h"
#include "base/vec.h"

struct capture;

struct pid_pair {
	uint32_t field; /* id in the fields of events */
	uint32_t tid;   /* id of the same thread in the samples */
};

struct pid_space {
	struct idmap by_field;
	VEC(struct pid_pair) pairs;
	bool is_inner; /* the two ids differ in each switch */
};

/* Compare both ids in all switches of @all. Owner: caller, pid_space_fini(). Cost: O(samples). */
void pid_space_init(struct pid_space *s, struct capture *const *all, size_t n);
void pid_space_fini(struct pid_space *s);
/* The id in the samples of the thread with the id @field in an event; 0: it has none. O(1). */
uint32_t pid_space_tid(struct pid_space *s, uint32_t field);

#endif
