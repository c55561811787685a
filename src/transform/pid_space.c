/* SPDX-License-Identifier: MIT */
#include "transform/pid_space.h"

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "transform/off_cpu.h"
#include "transform/off_cpu_walk.h"

#define PID_SPACE_SEED 6u

static const struct pid_pair *pid_space_find(struct pid_space *s, uint32_t field,
					     struct idmap_probe *probe)
{
	*probe = idmap_first(&s->by_field, hash_u64(field, PID_SPACE_SEED));
	while (idmap_next(&s->by_field, probe)) {
		if (s->pairs.data[probe->id].field == field)
			return &s->pairs.data[probe->id];
	}
	return NULL;
}

void pid_space_init(struct pid_space *s, struct capture *const *all, size_t n)
{
	bool has_same = false;

	*s = (struct pid_space){ .is_inner = false };
	for (size_t k = 0; k < n && !has_same; k++) {
		const struct profile *p = all[k]->profile;
		const struct sample_field *prev = off_cpu_field(all[k], "prev_pid");

		if (!prev || !off_cpu_is(all[k], "sched:sched_switch"))
			continue;
		for (size_t i = 0; i < p->samples.n && !has_same; i++) {
			uint32_t field = (uint32_t)off_cpu_number(off_cpu_word(all[k], prev, i));
			uint32_t tid = p->threads.data[p->samples.thread.data[i]].tid;
			struct idmap_probe probe;

			/* a thread that exits, or is of another namespace, has no id */
			if (field == 0 || tid == 0 || tid > INT32_MAX)
				continue;
			has_same = field == tid;
			if (has_same || pid_space_find(s, field, &probe))
				continue;
			idmap_insert(&s->by_field, &probe, (uint32_t)s->pairs.len);
			*VEC_PUSH(&s->pairs) = (struct pid_pair){ field, tid };
		}
	}
	s->is_inner = !has_same && s->pairs.len > 0;
}

void pid_space_fini(struct pid_space *s)
{
	idmap_fini(&s->by_field);
	VEC_FREE(&s->pairs);
}

uint32_t pid_space_tid(struct pid_space *s, uint32_t field)
{
	const struct pid_pair *pair;
	struct idmap_probe probe;

	if (!s->is_inner)
		return field;
	pair = pid_space_find(s, field, &probe);
	return pair ? pair->tid : 0;
}
