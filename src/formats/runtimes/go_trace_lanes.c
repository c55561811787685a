/* SPDX-License-Identifier: MIT */
#include "formats/runtimes/go_trace_lanes.h"

#include "base/idmap.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "formats/runtimes/go_trace.h"

/*
 * Maximum number of lanes of a trace. No machine has so many CPUs, and no program so many threads.
 */
#define GO_LANES_MAX 65536u
/*
 * Maximum number of attempts per event to find a ready event (go_lanes_ops.is_ready()). In an
 * intact trace, nearly every first attempt succeeds. The maximum limits the work for a damaged
 * trace.
 */
#define GO_LANES_FUEL 8u

uint32_t go_lane(struct go_lanes *l, uint64_t id)
{
	struct idmap_probe p = idmap_first(&l->by_id, hash_u64(id, 3));

	while (idmap_next(&l->by_id, &p)) {
		if (l->lanes.data[p.id].id == id)
			return p.id;
	}
	if (l->lanes.len >= GO_LANES_MAX)
		return INDEX_NONE;
	idmap_insert(&l->by_id, &p, (uint32_t)l->lanes.len);
	*VEC_PUSH(&l->lanes) = (struct go_lane){
		.id = id, .first = INDEX_NONE, .last = INDEX_NONE, .goroutine = INDEX_NONE
	};
	return (uint32_t)l->lanes.len - 1;
}

void go_lane_add_chunk(struct go_lanes *l, uint32_t lane, struct go_chunk chunk)
{
	struct go_lane *to = &l->lanes.data[lane];
	uint32_t at = (uint32_t)l->chunks.len;

	chunk.next = INDEX_NONE;
	*VEC_PUSH(&l->chunks) = chunk;
	if (to->last == INDEX_NONE)
		to->first = at;
	else
		l->chunks.data[to->last].next = at;
	to->last = at;
}

bool go_lane_next_chunk(struct go_lanes *l, struct go_lane *lane)
{
	const struct go_chunk *chunk;

	if (lane->first == INDEX_NONE)
		return false;
	chunk = &l->chunks.data[lane->first];
	lane->at = (struct go_cursor){ chunk->from, chunk->to, false };
	lane->time = chunk->time;
	lane->first = chunk->next;
	return true;
}

static bool go_lanes_before(const struct go_lanes *l, uint32_t a, uint32_t b)
{
	uint64_t x = l->lanes.data[a].head.time, y = l->lanes.data[b].head.time;

	return x != y ? x < y : a < b;
}

static void go_lanes_sink(struct go_lanes *l)
{
	uint32_t *heap = l->heap.data;
	size_t n = l->heap.len;
	size_t at = 0;
	uint32_t lane = n ? heap[0] : 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= n)
			break;
		if (child + 1 < n && go_lanes_before(l, heap[child + 1], heap[child]))
			child++;
		if (!go_lanes_before(l, heap[child], lane))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (n)
		heap[at] = lane;
}

static void go_lanes_push(struct go_lanes *l, uint32_t lane)
{
	size_t at = l->heap.len;

	*VEC_PUSH(&l->heap) = lane;
	while (at && go_lanes_before(l, lane, l->heap.data[(at - 1) / 2])) {
		l->heap.data[at] = l->heap.data[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	l->heap.data[at] = lane;
}

static void go_lanes_pop(struct go_lanes *l)
{
	l->heap.data[0] = l->heap.data[l->heap.len - 1];
	l->heap.len--;
	go_lanes_sink(l);
}

/*
 * Take the event in the lane's `head`, and read the next event of the lane. False: the lane has no
 * further event.
 */
static bool go_lanes_step(struct go_reader *r, struct go_lanes *l, const struct go_lanes_ops *ops,
			  uint32_t lane)
{
	ops->take(r, l, &l->lanes.data[lane]);
	return ops->next(r, l, &l->lanes.data[lane]);
}

/*
 * Take the earliest ready event, because the earliest event of all is not ready. If no event is
 * ready, the trace is damaged: then take the earliest event.
 */
static void go_lanes_search(struct go_reader *r, struct go_lanes *l, const struct go_lanes_ops *ops)
{
	uint32_t found = INDEX_NONE;

	l->aside.len = 0;
	while (l->heap.len && found == INDEX_NONE && l->fuel) {
		uint32_t lane = l->heap.data[0];

		go_lanes_pop(l);
		l->fuel--;
		if (ops->is_ready(r, l, &l->lanes.data[lane]))
			found = lane;
		else
			*VEC_PUSH(&l->aside) = lane;
	}
	if (found == INDEX_NONE) {
		if (l->aside.len == 0) {
			*VEC_PUSH(&l->aside) = l->heap.data[0];
			go_lanes_pop(l);
		}
		found = l->aside.data[0];
		l->aside.data[0] = l->aside.data[l->aside.len - 1];
		l->aside.len--;
		diag_count(&r->diag, &go_forced, 0);
	}
	if (go_lanes_step(r, l, ops, found))
		*VEC_PUSH(&l->aside) = found;
	VEC_FOREACH (lane, &l->aside)
		go_lanes_push(l, *lane);
}

void go_lanes_take(struct go_reader *r, struct go_lanes *l, const struct go_lanes_ops *ops)
{
	l->heap.len = 0;
	for (uint32_t i = 0; i < l->lanes.len; i++) {
		struct go_lane *lane = &l->lanes.data[i];

		lane->at = (struct go_cursor){ NULL, NULL, false };
		if (ops->next(r, l, lane))
			go_lanes_push(l, i);
	}
	l->fuel = GO_LANES_FUEL;
	while (l->heap.len) {
		uint32_t lane = l->heap.data[0];

		l->fuel += l->fuel < UINT32_MAX ? GO_LANES_FUEL : 0;
		if (UNLIKELY(!ops->is_ready(r, l, &l->lanes.data[lane])))
			go_lanes_search(r, l, ops);
		else if (go_lanes_step(r, l, ops, lane))
			go_lanes_sink(l);
		else
			go_lanes_pop(l);
	}
	l->chunks.len = 0;
	VEC_FOREACH (lane, &l->lanes)
		lane->first = lane->last = INDEX_NONE;
}

void go_lanes_fini(struct go_lanes *l)
{
	VEC_FREE(&l->lanes);
	VEC_FREE(&l->chunks);
	VEC_FREE(&l->heap);
	VEC_FREE(&l->aside);
	idmap_fini(&l->by_id);
}
