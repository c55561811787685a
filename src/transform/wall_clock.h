/* SPDX-License-Identifier: MIT */
/*
 * wall_clock.h - running and waiting of threads as one profile in nanoseconds
 *
 * Below the command, stacks have a frame that is not code and names the state: "[running]" from
 * CPU samples, "[ready]" for runnable without a CPU, "[waiting]". The sums are those of the
 * off-CPU capture and of the CPU samples.
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
	WALL_NONE, /* no such frame */
	WALL_RUNNING,
	WALL_READY,
	WALL_WAITING,
	WALL_STATES,
};

/*
 * Add a capture of event "wall-clock", made from the result of off_cpu_make(), captures from
 * @from on and their CPU samples. CPU samples in another unit are scaled to the running time by
 * switches. With @takes_over the source captures become excerpts of the new one. Nothing is
 * added if there are no waits. Errors: ERR_LIMIT.
 */
MUST_CHECK int wall_clock_make(struct dossier *d, size_t from, const struct off_cpu *o,
			       bool takes_over, struct error *err);
/* Step of transform.h: wall_clock_make() if t->wall asks for it and there are waits. */
int wall_clock_step(struct dossier *d, struct transform *t, struct error *err);
/* The CPU samples of the recording of @waits, with times and threads; NULL: none. */
const struct capture *wall_clock_cpu(const struct dossier *d, const struct capture *waits);
bool wall_clock_is(const struct capture *c);
/* The state of a frame. */
enum wall_state wall_clock_state(const struct symbols *symbols, sym_id sym);

#endif
