/* SPDX-License-Identifier: MIT */
/*
 * pid_space.h - translate thread ids in event fields, for recordings made in a PID namespace
 *
 * A thread has an id in each PID namespace. In the fields of scheduler events (prev_pid, next_pid,
 * pid) the kernel writes the id in the initial namespace. In samples it writes the id in the
 * recorder's namespace: kernel/events/core.c, perf_event_tid_p(). The two ids differ if the
 * recorder runs in a container. The sample of a switch has both ids of the thread that leaves the
 * CPU. From such pairs, this step translates the ids in fields to the ids of samples.
 */
#ifndef TRANSFORM_PID_SPACE_H
#define TRANSFORM_PID_SPACE_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. Replaces the ids in the fields of scheduler events. It does so only if a
 * later step follows threads over switches, and if no switch has the same id in field and sample. A
 * thread that leaves no CPU in any switch gets the id 0. It always succeeds. Cost: O(samples).
 */
int pid_space_step(struct dossier *d, struct transform *t, struct error *err);

#endif
