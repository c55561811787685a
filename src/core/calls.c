/* SPDX-License-Identifier: MIT */
#include "core/calls.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

void calls_init(struct calls *c)
{
	memset(c, 0, sizeof(*c));
}

void calls_fini(struct calls *c)
{
	VEC_FREE(&c->sym);
	VEC_FREE(&c->parent);
	VEC_FREE(&c->lane);
	VEC_FREE(&c->line);
	VEC_FREE(&c->dur_ns_low);
	VEC_FREE(&c->depth);
	VEC_FREE(&c->state);
	VEC_FREE(&c->start_ns);
	VEC_FREE(&c->retval);
	VEC_FREE(&c->retval_kind);
	VEC_FREE(&c->args);
	VEC_FREE(&c->retaddr);
	VEC_FREE(&c->long_durations);
	VEC_FREE(&c->moves);
	VEC_FREE(&c->lanes);
	VEC_FREE(&c->marks);
	idmap_fini(&c->lanes_map);
}

void calls_note_move(struct calls *c, uint32_t call, uint32_t lane, uint32_t line)
{
	uint16_t from = c->lanes.data[c->lane.data[call]].cpu;
	uint16_t to = c->lanes.data[lane].cpu;

	/* compare CPUs, not lanes: after exec, the same task on the same CPU has a new lane */
	if (from != to && from != UINT16_MAX && to != UINT16_MAX && c->moves.len < LIMIT_CALLS)
		*VEC_PUSH(&c->moves) = (struct call_move){ call, line, to };
}

static uint64_t calls_lane_hash(struct call_lane lane)
{
	return hash_u64((uint64_t)lane.comm.v << 32 | lane.pid,
			(uint64_t)lane.cpu << 1 | lane.has_pid);
}

static bool calls_lane_eq(const struct call_lane *a, const struct call_lane *b)
{
	return a->comm.v == b->comm.v && a->pid == b->pid && a->cpu == b->cpu &&
	       a->has_pid == b->has_pid;
}

uint32_t calls_lane(struct calls *c, struct call_lane lane)
{
	struct idmap_probe p = idmap_first(&c->lanes_map, calls_lane_hash(lane));

	while (idmap_next(&c->lanes_map, &p)) {
		if (calls_lane_eq(&c->lanes.data[p.id], &lane))
			return p.id;
	}
	if (UNLIKELY(c->lanes.len >= LIMIT_CALL_LANES))
		return 0;
	idmap_insert(&c->lanes_map, &p, (uint32_t)c->lanes.len);
	*VEC_PUSH(&c->lanes) = lane;
	return (uint32_t)c->lanes.len - 1;
}

bool calls_lane_name(struct calls *c, uint32_t lane, str_id comm, uint32_t pid)
{
	struct call_lane *l = &c->lanes.data[lane];
	struct call_lane named = { comm, pid, l->cpu, true };
	struct idmap_probe p = idmap_first(&c->lanes_map, calls_lane_hash(named));

	while (idmap_next(&c->lanes_map, &p)) {
		if (calls_lane_eq(&c->lanes.data[p.id], &named))
			return false;
	}
	/*
	 * The entry for the old name stays in lanes_map, but is never used again: a search that
	 * finds it compares names, and the name of this lane has changed.
	 */
	idmap_insert(&c->lanes_map, &p, lane);
	*l = named;
	return true;
}

int calls_grow(struct calls *c)
{
	size_t want = c->n + 1;

	if (c->n >= LIMIT_CALLS)
		return ERR_LIMIT;
	VEC_RESERVE(&c->sym, want);
	want = c->sym.cap;
	VEC_RESERVE(&c->parent, want);
	VEC_RESERVE(&c->lane, want);
	VEC_RESERVE(&c->line, want);
	VEC_RESERVE(&c->dur_ns_low, want);
	VEC_RESERVE(&c->depth, want);
	VEC_RESERVE(&c->state, want);
	c->room = want < LIMIT_CALLS ? want : LIMIT_CALLS;
	return OK;
}

void calls_set_long_duration(struct calls *c, uint32_t call, uint64_t dur_ns)
{
	c->state.data[call] &= (uint8_t)~CALL_NO_DURATION;
	c->has_durations = true;
	c->dur_ns_low.data[call] = UINT32_MAX;
	*VEC_PUSH(&c->long_durations) = (struct call_long){ call, dur_ns };
}

static int calls_compare_long(const void *a, const void *b)
{
	uint32_t x = ((const struct call_long *)a)->call;
	uint32_t y = ((const struct call_long *)b)->call;

	return x < y ? -1 : x > y;
}

void calls_finish(struct calls *c)
{
	VEC_SORT(&c->long_durations, calls_compare_long);
}

uint64_t calls_long_duration(const struct calls *c, uint32_t call)
{
	size_t low = VEC_PARTITION(&c->long_durations, it, it->call < call);

	return low < c->long_durations.len && c->long_durations.data[low].call == call
		       ? c->long_durations.data[low].dur_ns
		       : 0;
}

/*
 * Make the optional column @col as long as the number of calls; new elements get the value @none.
 */
#define CALLS_FILL(c, col, none)                       \
	do {                                           \
		while ((c)->col.len < (c)->n)          \
			*VEC_PUSH(&(c)->col) = (none); \
	} while (0)

void calls_set_start(struct calls *c, uint32_t call, uint64_t start_ns)
{
	CALLS_FILL(c, start_ns, UINT64_MAX);
	c->start_ns.data[call] = start_ns;
}

void calls_set_retval(struct calls *c, uint32_t call, uint64_t value, enum retval_kind kind)
{
	CALLS_FILL(c, retval, 0);
	CALLS_FILL(c, retval_kind, RETVAL_NONE);
	c->retval.data[call] = value;
	c->retval_kind.data[call] = (uint8_t)kind;
}

void calls_set_args(struct calls *c, uint32_t call, str_id args)
{
	CALLS_FILL(c, args, STR_ID_NONE);
	c->args.data[call] = args;
}

void calls_set_retaddr(struct calls *c, uint32_t call, str_id retaddr)
{
	CALLS_FILL(c, retaddr, STR_ID_NONE);
	c->retaddr.data[call] = retaddr;
}
