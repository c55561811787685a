/* SPDX-License-Identifier: MIT */
/* waits_quiet.c - find the time in which no thread of the program works */
#include "analyses/waits/waits_build.h"

#include "analyses/waits/waits.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"

#include <stdlib.h>

/* The time at which a thread begins to work (step +1) or stops working (step -1). */
struct quiet_event {
	uint64_t time_ns;
	/* index in waits_build.rests of the wait that ended at this time; INDEX_NONE: none */
	uint32_t rest;
	int8_t step;
};

/*
 * An interval in which no thread works. `rest`: index in waits_build.rests of the wait that ended
 * the interval.
 */
struct quiet_stretch {
	uint64_t ns;
	uint32_t rest;
	uint32_t place; /* index in quiet.places, which combines waits of the same kind and stack */
};

struct quiet_place {
	stack_id stack;
	uint8_t kind;
	uint64_t ns;
};

struct quiet {
	VEC(struct quiet_event) events;
	VEC(struct quiet_stretch) stretches;
	VEC(struct quiet_place) places;
	struct idmap places_map;
};

/*
 * Sort by time. At the same time, begin precedes stop: if one thread begins to work when another
 * one stops, there is no quiet interval between them.
 */
static int quiet_event_cmp(const void *va, const void *vb)
{
	const struct quiet_event *a = va;
	const struct quiet_event *b = vb;

	return SORT_ORDER(a->time_ns, b->time_ns) ?: SORT_ORDER(b->step, a->step) ?: SORT_ORDER(a->rest, b->rest);
}

static int quiet_stretch_cmp(const void *va, const void *vb)
{
	const struct quiet_stretch *a = va;
	const struct quiet_stretch *b = vb;

	return SORT_ORDER(a->ns, b->ns);
}

static void quiet_add(struct quiet *q, uint64_t time_ns, int8_t step, uint32_t rest)
{
	*VEC_PUSH(&q->events) =
		(struct quiet_event){ .time_ns = time_ns, .step = step, .rest = rest };
}

static uint32_t quiet_place(struct quiet *q, const struct wait_rest *rest)
{
	struct idmap_probe p = idmap_first(&q->places_map, hash_u64(rest->stack.v, rest->kind));

	while (idmap_next(&q->places_map, &p)) {
		const struct quiet_place *place = &q->places.data[p.id];

		if (place->stack.v == rest->stack.v && place->kind == rest->kind)
			return p.id;
	}
	idmap_insert(&q->places_map, &p, (uint32_t)q->places.len);
	*VEC_PUSH(&q->places) = (struct quiet_place){ .stack = rest->stack, .kind = rest->kind };
	return (uint32_t)q->places.len - 1;
}

static void quiet_collect(struct waits_build *b, struct quiet *q)
{
	const struct profile *p = b->c->profile;

	VEC_FOREACH (r, &p->ran) {
		const struct wait_thread *t = waits_thread(b->ret, r->tid);

		if (t && t->is_kernel)
			continue;
		quiet_add(q, r->from_ns, 1, INDEX_NONE);
		quiet_add(q, r->to_ns, -1, INDEX_NONE);
	}
	VEC_FOREACH (rest, &b->rests) {
		const struct wait_thread *t = waits_thread(b->ret, rest->tid);

		if (!t || t->is_kernel || !t->life_ns)
			continue;
		quiet_add(q, rest->from_ns, -1, INDEX_NONE);
		quiet_add(q, rest->to_ns, 1, (uint32_t)(rest - b->rests.data));
	}
}

static void quiet_sweep(struct waits_build *b, struct quiet *q)
{
	int64_t working = 0;
	uint64_t since = 0;

	VEC_SORT(&q->events, quiet_event_cmp);
	VEC_FOREACH (e, &q->events) {
		int64_t before = working;

		working += e->step;
		if (before > 0 && working <= 0)
			since = e->time_ns;
		if (before > 0 || working <= 0 || !since || e->time_ns <= since)
			continue;
		b->ret->quiet.all_ns += e->time_ns - since;
		if (e->rest == INDEX_NONE)
			continue;
		*VEC_PUSH(&q->stretches) = (struct quiet_stretch){
			.ns = e->time_ns - since,
			.rest = e->rest,
			.place = quiet_place(q, &b->rests.data[e->rest]),
		};
		q->places.data[q->stretches.data[q->stretches.len - 1].place].ns +=
			e->time_ns - since;
	}
}

/* Number of threads whose waits of kind `quiet.kind` ended quiet intervals. */
static uint32_t quiet_threads(const struct waits_build *b, const struct quiet *q)
{
	struct idmap seen = { 0 };
	VEC(uint32_t) tids = { 0 };
	uint32_t n;

	VEC_FOREACH (s, &q->stretches) {
		uint32_t tid = b->rests.data[s->rest].tid;
		struct idmap_probe p;
		bool is_known = false;

		if (q->places.data[s->place].kind != b->ret->quiet.kind)
			continue;
		p = idmap_first(&seen, hash_u64(tid, 3));
		while (!is_known && idmap_next(&seen, &p))
			is_known = tids.data[p.id] == tid;
		if (is_known)
			continue;
		idmap_insert(&seen, &p, (uint32_t)tids.len);
		*VEC_PUSH(&tids) = tid;
	}
	n = (uint32_t)tids.len;
	idmap_fini(&seen);
	VEC_FREE(&tids);
	return n;
}

static void quiet_measure(struct waits_build *b, struct quiet *q)
{
	struct wait_quiet *ret = &b->ret->quiet;
	uint64_t kinds[WAIT_KINDS] = { 0 };
	uint64_t most = 0;
	uint64_t sum = 0;

	if (q->places.len == 0)
		return;
	VEC_FOREACH (place, &q->places) {
		kinds[place->kind] += place->ns;
		if (kinds[place->kind] > kinds[ret->kind])
			ret->kind = (enum wait_kind)place->kind;
	}
	VEC_FOREACH (place, &q->places) {
		if (place->kind != ret->kind || place->ns <= most)
			continue;
		most = place->ns;
		ret->stack = place->stack;
	}
	ret->ns = kinds[ret->kind];
	ret->stack_ns = most;
	ret->threads = quiet_threads(b, q);
	VEC_SORT(&q->stretches, quiet_stretch_cmp);
	VEC_FOREACH (s, &q->stretches) {
		if (q->places.data[s->place].kind != ret->kind)
			continue;
		ret->n++;
		sum += s->ns;
		if (!ret->low_ns && sum >= ret->ns / 10)
			ret->low_ns = s->ns;
		if (!ret->median_ns && sum >= ret->ns / 2)
			ret->median_ns = s->ns;
		if (!ret->high_ns && sum >= ret->ns - ret->ns / 10)
			ret->high_ns = s->ns;
	}
}

void waits_find_quiet(struct waits_build *b)
{
	struct quiet q = { 0 };

	if (b->is_chosen || b->rests.len == 0)
		return;
	quiet_collect(b, &q);
	quiet_sweep(b, &q);
	quiet_measure(b, &q);
	VEC_FREE(&q.events);
	VEC_FREE(&q.stretches);
	VEC_FREE(&q.places);
	idmap_fini(&q.places_map);
}
