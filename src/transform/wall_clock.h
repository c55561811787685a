/* SPDX-License-Identifier: MIT */
/*
 * wall_clock.h - running and waiting of threads as one profile in nanoseconds
 *
 * Below the command, stacks have a frame that is no code and says which of the three
 * it is: "[running]" from samples of the CPU, "[ready]" without one, "[waiting]".
 * The sums are those of the off-CPU capture and of the CPU's samples.
 */
#ifndef ANALYSES_WALL_CLOCK_H
#define ANALYSES_WALL_CLOCK_H

#include "transform/off_cpu.h"

enum wall_state {
	WALL_NONE, /* no such frame */
	WALL_RUNNING,
	WALL_READY,
	WALL_WAITING,
	WALL_STATES,
};

/*
 * Add a capture of event "wall-clock" made of what off_cpu_make() made, of captures
 * from @from on, and of the samples of the CPU beside it; those that are not in
 * nanoseconds are scaled to how long the threads ran by the switches. The captures it
 * is made of become excerpts of it with @takes_over. Nothing is added where there are no waits.
 * Errors: ERR_LIMIT.
 */
MUST_CHECK int wall_clock_make(struct dossier *d, size_t from, const struct off_cpu *o,
			       bool takes_over, struct error *err);
bool wall_clock_is(const struct capture *c);
/* The state that the frame stands for. */
enum wall_state wall_clock_state(const struct symbols *symbols, sym_id sym);

#endif
