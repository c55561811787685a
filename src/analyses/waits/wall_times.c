/* SPDX-License-Identifier: MIT */
#include "analyses/waits/wall_times.h"

#include "analyses/waits/waits.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"

#include <stdlib.h>

/*
 * Find thread @tid in all profiles of the recording, because the off-CPU profile lacks threads that
 * never waited.
 */
static const struct profile_thread *wall_times_thread(const struct capture *c, uint32_t tid)
{
	VEC_FOREACH (other, &c->dossier->captures) {
		const struct profile *p = (*other)->profile;

		if (!p || (*other)->path.v != c->path.v)
			continue;
		VEC_FOREACH (t, &p->threads) {
			if (t->tid == tid)
				return t;
		}
	}
	return NULL;
}

static struct wall_time *wall_times_row(struct wall_times *t, struct idmap *map, uint32_t pid,
					str_id comm)
{
	struct idmap_probe p = idmap_first(map, hash_u64(pid, comm.v));

	while (idmap_next(map, &p)) {
		if (t->rows.data[p.id].pid == pid && t->rows.data[p.id].comm.v == comm.v)
			return &t->rows.data[p.id];
	}
	idmap_insert(map, &p, (uint32_t)t->rows.len);
	*VEC_PUSH(&t->rows) = (struct wall_time){ .pid = pid, .comm = comm };
	return &t->rows.data[t->rows.len - 1];
}

static void wall_time_add(struct wall_time *to, const struct wall_time *one)
{
	to->threads += one->threads;
	to->tid = to->threads == 1 ? one->tid : 0;
	to->life_ns += one->life_ns;
	to->ran_ns += one->ran_ns;
	to->rest_ns += one->rest_ns;
	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		to->kinds[k] += one->kinds[k];
}

/* The times of one thread. @w: its waits; NULL: it never waited. */
static struct wall_time wall_time_of(const struct profile_ran *r, const struct wait_thread *w)
{
	struct wall_time one = { .threads = 1, .tid = r->tid, .ran_ns = r->ran_ns };
	uint64_t sum = r->ran_ns;

	one.life_ns = r->to_ns > r->from_ns ? r->to_ns - r->from_ns : 0;
	for (unsigned int k = 0; w && k < WAIT_KINDS; k++) {
		one.kinds[k] = w->kinds[k].ns;
		sum += w->kinds[k].ns;
	}
	if (sum > one.life_ns)
		/*
		 * running and waiting times may exceed the thread's lifetime, because times in text
		 * recordings can go backwards
		 */
		one.life_ns = sum;
	one.rest_ns = one.life_ns - sum;
	return one;
}

static uint64_t wall_time_busy(const struct wall_time *t)
{
	uint64_t ns = t->ran_ns;

	for (unsigned int k = 0; k < WAIT_KINDS; k++)
		ns += WAIT_BUSY_KINDS >> k & 1 ? t->kinds[k] : 0;
	return ns;
}

static int wall_time_cmp(const void *va, const void *vb)
{
	const struct wall_time *a = va;
	const struct wall_time *b = vb;
	uint64_t busy_a = wall_time_busy(a), busy_b = wall_time_busy(b);

	return SORT_ORDER(busy_b, busy_a) ?: SORT_ORDER(b->life_ns, a->life_ns) ?: SORT_ORDER(a->pid, b->pid);
}

void wall_times_compute(const struct capture *c, const struct waits *w, struct wall_times *ret)
{
	struct idmap map = { 0 };

	memset(ret, 0, sizeof(*ret));
	VEC_FOREACH (r, &c->profile->ran) {
		const struct wait_thread *t = waits_thread(w, r->tid);
		const struct profile_thread *p = t ? NULL : wall_times_thread(c, r->tid);
		struct wall_time one = wall_time_of(r, t);

		if (t && t->is_kernel)
			continue;
		if (!t && (c->profile->is_selected || !one.life_ns))
			/*
			 * either the thread has no lifetime, or its waits are unknown because a
			 * filter removed their samples
			 */
			continue;
		wall_time_add(wall_times_row(ret, &map,
					     t   ? t->pid
					     : p ? p->pid
						 : 0,
					     t   ? t->comm
					     : p ? p->comm
						 : STR_ID_NONE),
			      &one);
		wall_time_add(&ret->all, &one);
	}
	VEC_SORT(&ret->rows, wall_time_cmp);
	idmap_fini(&map);
}

void wall_times_fini(struct wall_times *t)
{
	VEC_FREE(&t->rows);
}
