/* SPDX-License-Identifier: MIT */
/*
 * pid_space.h - thread ids in the fields of events, for recordings made in a PID namespace
 *
 * A thread has an id in each PID namespace. In the fields of sched events (prev_pid, next_pid, pid)
 * the kernel writes the id of the initial namespace. In samples it writes the id of the recorder's
 * namespace, which is another one in a container: kernel/events/core.c, perf_event_tid_p(). The
 * sample of a switch has both ids of the thread that leaves the CPU, which gives the map from one
 * to the other. After this step, fields have the ids of samples.
 */
#ifndef TRANSFORM_PID_SPACE_H
#define TRANSFORM_PID_SPACE_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. If a later step follows threads over switches, and no switch has equal ids
 * in field and sample, replace the ids in the fields of scheduler events. Ids of threads
 * without samples become 0. Cost: O(samples).
 */
int pid_space_step(struct dossier *d, struct transform *t, struct error *err);

#endif
