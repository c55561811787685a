/* SPDX-License-Identifier: MIT */
/*
 * wall_clock.h - one profile of the running and waiting time of threads, in nanoseconds
 *
 * In each stack, the frame after the command is the state of the thread. It is "[running]" in CPU
 * samples, "[ready]" for a thread that waits for a CPU, and "[waiting]" for a blocked thread. Sums
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
	WALL_NONE, /* the frame does not name a state */
	WALL_RUNNING,
	WALL_READY,
	WALL_WAITING,
	WALL_STATES,
};

/*
 * Add a capture of event "wall-clock", made from two captures at or after index @from: the waits
 * that off_cpu_make() made, and the CPU samples. CPU samples in another unit than nanoseconds are
 * scaled to the running time that the switches show. With @takes_over, the two source captures
 * become excerpts of the new one (capture.excerpt_of). Nothing is added if there are no waits.
 * Errors: ERR_LIMIT.
 */
MUST_CHECK int wall_clock_make(struct dossier *d, size_t from, const struct off_cpu *o,
			       bool takes_over, struct error *err);
/* Step of transform.h: wall_clock_make(), if t->wall asks for it and there are waits. */
int wall_clock_step(struct dossier *d, struct transform *t, struct error *err);
/*
 * The capture of CPU samples with times and threads, in the same recording as @waits; NULL: none.
 */
const struct capture *wall_clock_cpu(const struct dossier *d, const struct capture *waits);
bool wall_clock_is(const struct capture *c);
/* The state that a frame names; WALL_NONE for other frames. */
enum wall_state wall_clock_state(const struct symbols *symbols, sym_id sym);

#endif
