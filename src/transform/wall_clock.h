/* SPDX-License-Identifier: MIT */
/*
 * wall_clock.h - running and waiting of threads as one profile in nanoseconds
 *
 * Below the command, each stack has a frame that is not code but names the state of the thread:
 * "[running]" from CPU samples, "[ready]" if runnable without a CPU, "[waiting]" if blocked. Sums
 * per state equal those of the off-CPU capture and of the CPU samples.
 */
#ifndef TRANSFORM_WALL_CLOCK_H
#define TRANSFORM_WALL_CLOCK_H

#include "base/status.h"
#include "core/ids.h"

struct capture;
struct dossier;
struct off_cpu;
struct symbols;
struct transform;

enum wall_state {
	WALL_NONE, /* not a frame of a state */
	WALL_RUNNING,
	WALL_READY,
	WALL_WAITING,
	WALL_STATES,
};

/*
 * Add a capture of event "wall-clock". It is made from captures at or after index @from: the result
 * of off_cpu_make(), and the CPU samples. CPU samples in another unit than nanoseconds are scaled
 * to the running time that the switches show. With @takes_over the source captures become excerpts
 * of the new one. Nothing is added if there are no waits. Errors: ERR_LIMIT.
 */
MUST_CHECK int wall_clock_make(struct dossier *d, size_t from, const struct off_cpu *o,
			       bool takes_over, struct error *err);
/* Step of transform.h: wall_clock_make(), if t->wall asks for it and there are waits. */
int wall_clock_step(struct dossier *d, struct transform *t, struct error *err);
/*
 * The capture of CPU samples, with times and threads, in the same recording as @waits; NULL: none.
 */
const struct capture *wall_clock_cpu(const struct dossier *d, const struct capture *waits);
bool wall_clock_is(const struct capture *c);
/* The state that a frame names; WALL_NONE for other frames. */
enum wall_state wall_clock_state(const struct symbols *symbols, sym_id sym);

#endif
