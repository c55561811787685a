/* SPDX-License-Identifier: MIT */
#include "transform/transform.h"

#include "core/dossier.h"
#include "transform/hooked_event.h"
#include "transform/listing_owner.h"
#include "transform/off_cpu.h"
#include "transform/parallelism.h"
#include "transform/pid_space.h"
#include "transform/readings.h"
#include "transform/recover.h"
#include "transform/wall_clock.h"

enum transform_when { TRANSFORM_EACH_INPUT, TRANSFORM_ALL_INPUTS };

struct transform_step {
	enum transform_when when;
	/*
	 * Run the step, which changes captures of @d and stores its results in @t. If @when is
	 * TRANSFORM_EACH_INPUT, the step changes only the captures of the current input, which
	 * start at index t->first. The header of each step lists its errors.
	 */
	int (*run)(struct dossier *d, struct transform *t, struct error *err);
};

static const struct transform_step transform_steps[] = {
	{ TRANSFORM_EACH_INPUT, hooked_event_step }, { TRANSFORM_EACH_INPUT, pid_space_step },
	{ TRANSFORM_EACH_INPUT, parallelism_step },  { TRANSFORM_EACH_INPUT, off_cpu_step },
	{ TRANSFORM_EACH_INPUT, off_cpu_name_step }, { TRANSFORM_EACH_INPUT, wall_clock_step },
	{ TRANSFORM_EACH_INPUT, readings_step },     { TRANSFORM_ALL_INPUTS, listing_owner_step },
	{ TRANSFORM_ALL_INPUTS, recover_step },      { TRANSFORM_ALL_INPUTS, select_step },
};

static int transform_run(struct dossier *d, struct transform *t, enum transform_when when,
			 struct error *err)
{
	int r = OK;

	for (size_t i = 0; i < ARRAY_LEN(transform_steps) && r == OK; i++) {
		if (transform_steps[i].when == when)
			r = transform_steps[i].run(d, t, err);
	}
	return r;
}

int transform_input(struct dossier *d, struct transform *t, size_t first, struct error *err)
{
	int r;

	t->first = first;
	*VEC_PUSH(&t->off_cpu) = (struct off_cpu){ .is_done = false };
	r = transform_run(d, t, TRANSFORM_EACH_INPUT, err);
	while (r < 0 && d->captures.len > first)
		dossier_drop_last(d);
	return r;
}

int transform_all(struct dossier *d, struct transform *t, struct error *err)
{
	return transform_run(d, t, TRANSFORM_ALL_INPUTS, err);
}

void transform_fini(struct transform *t)
{
	VEC_FREE(&t->off_cpu);
	VEC_FREE(&t->recovered);
	VEC_FREE(&t->selected);
	select_fini(&t->select);
}
