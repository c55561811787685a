/* SPDX-License-Identifier: MIT */
/*
 * transform.h - changes of captures after reading, in one declared order
 *
 * Only this folder changes captures; analyses take them as const. Each change is a step with the
 * same signature, in a file of its own. The table in transform.c gives the order. Steps after each
 * input: the event of a profile that names none, ids of threads, parallelism, waits from switches,
 * reasons of waits, the wall clock, readings of counters. Steps after all inputs: functions of
 * listings (listing_owner.h), samples from printed reports, filters.
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
 * What to do with running and waiting time (wall_clock.h): nothing; add a capture of it; or show
 * only this capture, instead of its source captures.
 */
enum transform_wall { TRANSFORM_WALL_NONE, TRANSFORM_WALL_ADDED, TRANSFORM_WALL_ONLY };

/*
 * Options and results of all steps. In a zeroed struct no option is set: only steps that need no
 * option change captures. Owner: caller, transform_fini().
 */
struct transform {
	/* options, which commands set */
	/* convert switches of threads to waits; an error if there are no switches */
	bool is_off_cpu;
	bool finds_off_cpu; /* convert switches of threads to waits, if there are any */
	/* do not convert switches: drop the captures that serve only to compute waits */
	bool drops_helpers;
	bool has_parallelism; /* compute how many threads ran at each sample: parallelism.h */
	bool is_latency;      /* also divide weights by the number of running threads */
	enum transform_wall wall;
	bool takes_trees; /* trees replace printed rows that name no function: recover.h */
	/* callback that sets the reasons of waits, by off_cpu_name() */
	void (*name_waits)(struct capture *c);
	struct select_spec select;
	/* the command itself filters rows of printed reports, so select_step() does not */
	bool filters_rows_itself;

	/* results of the steps */
	/* result for each input; is_done shows whether the input has waits */
	VEC(struct off_cpu) off_cpu;
	/* indexed by capture: result of recover_step() */
	VEC(struct recover_result) recovered;
	/* indexed by capture: result of select_step() */
	VEC(struct select_result) selected;
	size_t n_selectable; /* number of profiles to which filters apply */

	/* the input being processed */
	size_t first; /* index of the first capture of the input being processed */
};

/*
 * Run the steps for the input whose captures start at @first, and add one element to t->off_cpu. On
 * an error, the captures of the input are dropped.
 */
MUST_CHECK int transform_input(struct dossier *d, struct transform *t, size_t first,
			       struct error *err);
/* Run the steps that need all inputs. They fill t->recovered and t->selected. */
MUST_CHECK int transform_all(struct dossier *d, struct transform *t, struct error *err);
void transform_fini(struct transform *t);

#endif
