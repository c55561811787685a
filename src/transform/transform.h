/* SPDX-License-Identifier: MIT */
/*
 * transform.h - steps that change captures after reading, in one fixed order
 *
 * Only this folder changes captures; analyses take them as const. All steps have the same
 * signature, and each has its own file. The table in transform.c gives the order.
 *
 * After each input: hooked_event.h finds a missing event, pid_space.h translates thread ids,
 * parallelism.h counts running threads, off_cpu.h computes waits and their reasons, wall_clock.h
 * joins running and waiting time, readings.h subtracts readings of counters.
 *
 * After all inputs: listing_owner.h names the function of a listing, recover.h makes samples from
 * printed reports, select.h filters samples.
 */
#ifndef TRANSFORM_TRANSFORM_H
#define TRANSFORM_TRANSFORM_H

#include "base/status.h"
#include "base/vec.h"
#include "transform/select.h"

struct off_cpu;
struct recover_result;
struct capture;
struct dossier;

/*
 * What to do with running and waiting time (wall_clock.h): nothing; add a capture that has both; or
 * add it and hide the two captures it is made from.
 */
enum transform_wall { TRANSFORM_WALL_NONE, TRANSFORM_WALL_ADDED, TRANSFORM_WALL_ONLY };

/*
 * Options and results of all steps. In a zeroed struct no option is set: then only steps that need
 * no option change captures. Owner: caller, transform_fini().
 */
struct transform {
	/* options, which commands set */
	/* convert context switches to waits; it is an error if there are no switches */
	bool is_off_cpu;
	bool finds_off_cpu; /* convert context switches to waits, if there are any */
	/* if switches are not converted, drop the captures that serve only to compute waits */
	bool drops_helpers;
	bool has_parallelism; /* count the threads that run at each sample: parallelism.h */
	bool is_latency;      /* also divide weights by the number of running threads */
	enum transform_wall wall;
	/* samples from trees replace printed rows that name no function: recover.h */
	bool takes_trees;
	/* callback that finds the reasons of the waits in @c and stores them with off_cpu_name() */
	void (*name_waits)(struct capture *c);
	struct select_spec select;
	/* the command itself filters rows of printed reports, so select_step() does not */
	bool filters_rows_itself;

	/* results of the steps */
	/* one element for each input; is_done is true if the input has waits */
	VEC(struct off_cpu) off_cpu;
	/* indexed by capture: result of recover_step() */
	VEC(struct recover_result) recovered;
	/* indexed by capture: result of select_step() */
	VEC(struct select_result) selected;
	size_t n_selectable; /* number of profiles to which filters apply */

	size_t first; /* index of the first capture of the input being processed */
};

/*
 * Run the steps for one input, whose captures start at index @first, and add one element to
 * t->off_cpu. On an error, all captures of the input are dropped.
 */
MUST_CHECK int transform_input(struct dossier *d, struct transform *t, size_t first,
			       struct error *err);
/* Run the steps that need all inputs. They fill t->recovered and t->selected. */
MUST_CHECK int transform_all(struct dossier *d, struct transform *t, struct error *err);
void transform_fini(struct transform *t);

#endif
