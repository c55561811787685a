/* SPDX-License-Identifier: MIT */
#include "transform/transform.h"

#include "core/dossier.h"
#include "transform/off_cpu.h"
#include "transform/parallelism.h"
#include "transform/recover.h"
#include "transform/wall_clock.h"

const struct transform_step transform_steps[] = {
	{ "parallelism", TRANSFORM_EACH_INPUT, parallelism_step },
	{ "off-cpu", TRANSFORM_EACH_INPUT, off_cpu_step },
	{ "wait-reasons", TRANSFORM_EACH_INPUT, off_cpu_name_step },
	{ "wall-clock", TRANSFORM_EACH_INPUT, wall_clock_step },
	{ "recover", TRANSFORM_ALL_INPUTS, recover_step },
	{ "select", TRANSFORM_ALL_INPUTS, select_step },
	{ NULL, TRANSFORM_ALL_INPUTS, NULL },
};

static int transform_run(struct dossier *d, struct transform *t, enum transform_when when,
			 struct error *err)
{
	int r = OK;

	for (const struct transform_step *s = transform_steps; s->name && r == OK; s++) {
		if (s->when == when)
			r = s->run(d, t, err);
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
