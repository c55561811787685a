/* SPDX-License-Identifier: MIT */
/*
 * parallelism.h - the number of threads that run at each sample, and the wall-clock time of each
 * sample
 *
 * The terms are those of perf 6.15 (tools/perf/Documentation/cpu-and-latency-overheads.txt).
 * Parallelism is the number of recorded threads that run on a CPU. The latency of a sample is its
 * weight divided by the parallelism. The sum of latencies is therefore the wall-clock time in which
 * at least one thread ran.
 *
 * Context switches, as tracepoints or switch records, show which threads run. A sample also shows
 * that its thread runs. The thread then counts as running until its next switch. Only threads with
 * samples count.
 */
#ifndef TRANSFORM_PARALLELISM_H
#define TRANSFORM_PARALLELISM_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. With t->has_parallelism: add the field `parallelism` to all samples of
 * captures at or after index t->first. With t->is_latency: also divide the weights by this number,
 * and rename the event to "latency". Errors: ERR_NOTFOUND without switches; ERR_LIMIT if a weight
 * overflows when it gets more decimals. Cost: O(n log n) for n samples and switches.
 */
int parallelism_step(struct dossier *d, struct transform *t, struct error *err);

#endif
