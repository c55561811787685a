/* SPDX-License-Identifier: MIT */
/*
 * transform.h - changes of captures after reading, in one declared order
 *
 * Only this folder changes captures; analyses take them as const. Each change is a step with the
 * same signature, in a file of its own. The table in transform.c gives the order: parallelism,
 * waits from switches, reasons of waits, the wall clock, and, once all inputs are read, samples
 * from printed reports and the filters.
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
 * Whether to make one capture of running and waiting (wall_clock.h), next to its sources or
 * replacing them.
 */
enum transform_wall { TRANSFORM_WALL_NONE, TRANSFORM_WALL_BESIDE, TRANSFORM_WALL_ONLY };

/* Zeroed: no change but recovery. Owner: caller, transform_fini(). */
struct transform {
	/* options */
	bool is_off_cpu;      /* convert switches of threads to waits; an error without any */
	bool finds_off_cpu;   /* convert them if there are any */
	bool drops_helpers;   /* without conversion: drop captures that serve waits only */
	bool has_parallelism; /* how many threads ran at each sample: parallelism.h */
	bool is_latency;      /* and weights divided by that */
	enum transform_wall wall;
	void (*name_waits)(struct capture *c); /* gives waits their reasons, off_cpu_name() */
	struct select_spec select;
	bool filters_rows_itself; /* the command filters printed rows itself */

	/* results */
	VEC(struct off_cpu) off_cpu;          /* by input; is_done: it has waits */
	VEC(struct recover_result) recovered; /* by capture of the dossier */
	VEC(struct select_result) selected;   /* by capture of the dossier */
	size_t n_selectable;                  /* profiles to which filters apply */

	/* the current input */
	size_t first; /* its first capture */
};

/*
 * Run the steps for the input whose captures start at @first. It adds one element to t->off_cpu.
 * On an error, the captures of the input are dropped.
 */
MUST_CHECK int transform_input(struct dossier *d, struct transform *t, size_t first,
			       struct error *err);
/* Run the steps for all inputs: fills t->recovered and t->selected. */
MUST_CHECK int transform_all(struct dossier *d, struct transform *t, struct error *err);
void transform_fini(struct transform *t);

#endif
