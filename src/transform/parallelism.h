/* SPDX-License-Identifier: MIT */
/*
 * parallelism.h - how many threads ran at each sample, and the wall-clock time that follows from it
 *
 * The terms are those of perf 6.15 (tools/perf/Documentation/cpu-and-latency-overheads.txt).
 * Parallelism is the number of recorded threads that run on a CPU. The latency of a sample is its
 * weight divided by the parallelism. The sum of latencies is therefore the wall-clock time in which
 * at least one thread ran.
 *
 * Running threads are known from switches, as tracepoints or switch records. A sample also shows
 * that its thread runs, until the thread is switched out. Only threads with samples count.
 */
#ifndef TRANSFORM_PARALLELISM_H
#define TRANSFORM_PARALLELISM_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. With t->has_parallelism: give all samples the field `parallelism`, in every
 * capture at or after index t->first. With t->is_latency: also divide their weights by it, and name
 * their event "latency". Errors: ERR_NOTFOUND without switches; ERR_LIMIT if weights are too large
 * to be divided. Cost: O(n log n) for n samples and switches.
 */
int parallelism_step(struct dossier *d, struct transform *t, struct error *err);

#endif
