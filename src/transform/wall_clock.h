/* SPDX-License-Identifier: MIT */
/*
 * wall_clock.h - one profile of both the running and the waiting time of threads, in nanoseconds
 *
 * In each stack, the frame after the command is the state of the thread. This is "[running]" in CPU
 * samples, "[ready]" for a thread that waits for a CPU, and "[waiting]" for a blocked thread. The
 * samples are made from a capture of CPU samples and a capture of waits, and the sum of the weights
 * for each state stays the same. But if the CPU samples count events, the sum for "[running]" is
 * the running time that was measured from switches.
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
 * Add a capture of event "wall-clock", made from two captures at or after index @from: one with
 * waits, as off_cpu_make() makes it, and one with CPU samples. If the CPU samples count events,
 * they are scaled to the running time in @o, which was measured from switches. With @takes_over,
 * the captures of CPU samples and waits are marked as excerpts of the new capture
 * (capture.excerpt_of), so that reports skip them. Nothing is added if there are no waits. Errors:
 * ERR_LIMIT.
 */
MUST_CHECK int wall_clock_make(struct dossier *d, size_t from, const struct off_cpu *o,
			       bool takes_over, struct error *err);
/* Step of transform.h. Calls wall_clock_make() if t->wall asks for it and there are waits. */
int wall_clock_step(struct dossier *d, struct transform *t, struct error *err);
/*
 * The capture of CPU samples with times and threads in the same recording as @waits; NULL: there is
 * none.
 */
const struct capture *wall_clock_cpu(const struct dossier *d, const struct capture *waits);
bool wall_clock_is(const struct capture *c);
/* The state that the frame @sym names; WALL_NONE: the frame is no state. */
enum wall_state wall_clock_state(const struct symbols *symbols, sym_id sym);

#endif
