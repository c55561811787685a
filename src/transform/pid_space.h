/* SPDX-License-Identifier: MIT */
/*
 * pid_space.h - thread ids in the fields of events, for recordings made in a PID namespace
 *
 * The kernel writes ids of its first namespace into the fields of sched events (prev_pid, next_pid,
 * pid). A recorder in another PID namespace, such as a container, writes the ids of its own one
 * into the samples: kernel/events/core.c, perf_event_tid_p(). At a switch the sample is of the
 * thread that leaves the CPU, which has both ids. All steps after this one find in the fields the
 * ids of the samples.
 */
#ifndef TRANSFORM_PID_SPACE_H
#define TRANSFORM_PID_SPACE_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h: if a later step follows threads from switch to switch, and the ids of fields
 * and samples differ in each switch, replace the ids in the fields of scheduler events. A thread
 * that the samples do not have becomes 0. Cost: O(samples).
 */
int pid_space_step(struct dossier *d, struct transform *t, struct error *err);

#endif
