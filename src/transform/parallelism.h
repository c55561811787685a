/* SPDX-License-Identifier: MIT */
/*
 * parallelism.h - for each sample: the number of threads that run at the time, and the wall-clock
 * time
 *
 * The terms are those of perf 6.15 (tools/perf/Documentation/cpu-and-latency-overheads.txt).
 * Parallelism is the number of recorded threads that run on a CPU. The latency of a sample is its
 * weight divided by the parallelism. The sum of latencies is therefore the wall-clock time in which
 * at least one thread ran.
 *
 * Context switches, as tracepoints or switch records, show which threads run. A sample also shows
 * that its thread runs. The thread then counts as running until its next switch. Threads without
 * samples do not count.
 */
#ifndef TRANSFORM_PARALLELISM_H
#define TRANSFORM_PARALLELISM_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. With t->has_parallelism, it adds the field `parallelism` to all samples of
 * CPU time in captures at or after index t->first. With t->is_latency, it also divides each weight
 * by the parallelism, and renames the event to "latency". Errors: ERR_NOTFOUND if there are no
 * switches; ERR_LIMIT if a weight overflows when it gets more decimals. Cost: O(n log n) for n
 * samples and switches.
 */
int parallelism_step(struct dossier *d, struct transform *t, struct error *err);

#endif
