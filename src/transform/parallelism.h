/* SPDX-License-Identifier: MIT */
/*
 * parallelism.h - how many threads ran at the moment of each sample, and wall time split by that
 *
 * The meaning is that of perf 6.15 (tools/perf/Documentation/cpu-and-latency-overheads.txt):
 * parallelism is the number of recorded threads that run on a CPU; the latency of a sample is
 * its weight divided by that number, so that the sum is the wall time in which any of them ran.
 *
 * From switches of threads, tracepoints or switch records; a sample, too, shows that its thread
 * runs, until it is switched out. Only threads with samples count.
 */
#ifndef TRANSFORM_PARALLELISM_H
#define TRANSFORM_PARALLELISM_H

#include "base/status.h"

struct dossier;
struct transform;

/*
 * Step of transform.h. With t->has_parallelism: give all samples from t->first on the field
 * `parallelism`; with t->is_latency also divide their weights by it, and name their event
 * "latency". Errors: ERR_NOTFOUND without switches; ERR_LIMIT if weights are too large to be
 * divided. Cost: O(n log n) for n samples and switches.
 */
int parallelism_step(struct dossier *d, struct transform *t, struct error *err);

#endif
