/* SPDX-License-Identifier: MIT */
/*
 * hooked_event.h - if a profile does not name its event, find the event by the kernel function that
 * counts it
 *
 * The kernel counts a software event or tracepoint in a function that runs at no other time, and
 * that function is the innermost frame of each sample. A pasted report without its header thus
 * still shows its event. If nearly all samples are in perf_event_task_sched_out(), for example,
 * they are context switches, and not CPU time.
 *
 * Sources: Linux, kernel/events/core.c, __perf_event_task_sched_out(), which counts
 * PERF_COUNT_SW_CONTEXT_SWITCHES; include/trace/perf.h, which makes perf_trace_CLASS() of each
 * class of tracepoints.
 */
#ifndef TRANSFORM_HOOKED_EVENT_H
#define TRANSFORM_HOOKED_EVENT_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. Sets the event of each profile that does not name its event, if a kernel
 * function that counts an event has at least 90 % of the weight. It always succeeds. Cost: O(rows +
 * samples).
 */
int hooked_event_step(struct dossier *d, struct transform *t, struct error *err);

#endif
