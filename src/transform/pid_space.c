/* SPDX-License-Identifier: MIT */
#include "transform/pid_space.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "transform/off_cpu.h"
#include "transform/transform.h"

#include <inttypes.h>
#include <stdio.h>

#define PID_SPACE_SEED 6u

struct pid_pair {
	uint32_t field; /* thread id in the fields of events */
	uint32_t tid;   /* id of the same thread in the samples */
};

struct pid_space {
	struct idmap by_field;
	VEC(struct pid_pair) pairs;
	/*
	 * a thread was found whose ids in event fields and samples are equal: the recorder ran in
	 * the initial namespace, and nothing needs to be translated
	 */
	bool has_same;
};

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

/*
 * Learn from the switches of @c, for each thread that leaves a CPU, its id in event fields and in
 * samples.
 */
static void pid_space_learn(struct pid_space *s, const struct capture *c)
{
	const struct profile *p = c->profile;
	const struct sample_field *prev = off_cpu_field(c, "prev_pid");

	for (size_t i = 0; prev && i < p->samples.thread.len && !s->has_same; i++) {
		uint32_t field = (uint32_t)off_cpu_number(off_cpu_word(c, prev, i));
		uint32_t tid = p->threads.data[p->samples.thread.data[i]].tid;
		struct idmap_probe probe;

		/*
		 * skip this switch: an id of 0 or -1 stands for a thread that exits, or that is in
		 * another namespace
		 */
		if (field == 0 || tid == 0 || tid > INT32_MAX)
			continue;
		s->has_same = field == tid;
		if (s->has_same || pid_space_find(s, field, &probe))
			continue;
		idmap_insert(&s->by_field, &probe, (uint32_t)s->pairs.len);
		*VEC_PUSH(&s->pairs) = (struct pid_pair){ field, tid };
	}
}

/* Replace the ids in the field @name by the ids in samples, for all samples of @c. */
static void pid_space_translate(struct pid_space *s, struct capture *c, const char *name)
{
	struct strings *strings = &c->dossier->strings;
	const struct sample_field *f = off_cpu_field(c, name);

	for (size_t i = 0; f && i < f->values.len; i++) {
		struct str word = off_cpu_word(c, f, i);
		struct idmap_probe probe;
		const struct pid_pair *pair =
			pid_space_find(s, (uint32_t)off_cpu_number(word), &probe);
		char text[16];
		int n = snprintf(text, sizeof(text), "%" PRIu32, pair ? pair->tid : 0);

		if (word.len)
			f->values.data[i] = strings_add(strings, (struct str){ text, (size_t)n }).v;
	}
}

int pid_space_step(struct dossier *d, struct transform *t, struct error *err)
{
	static const char *const fields[] = { "prev_pid", "next_pid", "pid" };
	struct pid_space s = { .has_same = false };

	(void)err;
	if (!t->has_parallelism && !t->is_off_cpu && !t->finds_off_cpu)
		return OK;
	for (size_t i = t->first; i < d->captures.len && !s.has_same; i++) {
		if (off_cpu_is_switches(d->captures.data[i]))
			pid_space_learn(&s, d->captures.data[i]);
	}
	for (size_t i = t->first; i < d->captures.len && !s.has_same && s.pairs.len; i++) {
		for (size_t k = 0; off_cpu_is_helper(d->captures.data[i]) && k < ARRAY_LEN(fields);
		     k++)
			pid_space_translate(&s, d->captures.data[i], fields[k]);
	}
	idmap_fini(&s.by_field);
	VEC_FREE(&s.pairs);
	return OK;
}
