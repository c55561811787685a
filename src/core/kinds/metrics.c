/* SPDX-License-Identifier: MIT */
#include "core/kinds/metrics.h"

#include "base/vec.h"

void metrics_init(struct metrics *m)
{
	*m = (struct metrics){ .cost = INDEX_NONE };
}

void metrics_fini(struct metrics *m)
{
	VEC_FREE(&m->columns);
	VEC_FREE(&m->names);
	VEC_FREE(&m->lines);
	VEC_FREE(&m->values);
	VEC_FREE(&m->texts);
}
