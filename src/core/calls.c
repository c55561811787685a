/* SPDX-License-Identifier: MIT */
#include "core/calls.h"

#include "base/limits.h"

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
	VEC_FREE(&c->long_durations);
	VEC_FREE(&c->lanes);
	VEC_FREE(&c->marks);
	idmap_fini(&c->lanes_map);
}

uint32_t calls_lane(struct calls *c, struct call_lane lane)
{
	uint64_t hash = hash_u64((uint64_t)lane.comm.v << 32 | lane.pid,
				 (uint64_t)lane.cpu << 1 | lane.has_pid);
	struct idmap_probe p = idmap_first(&c->lanes_map, hash);

	while (idmap_next(&c->lanes_map, &p)) {
		const struct call_lane *l = &c->lanes.data[p.id];

		if (l->comm.v == lane.comm.v && l->pid == lane.pid && l->cpu == lane.cpu &&
		    l->has_pid == lane.has_pid)
			return p.id;
	}
	idmap_insert(&c->lanes_map, &p, (uint32_t)c->lanes.len);
	*VEC_PUSH(&c->lanes) = lane;
	return (uint32_t)c->lanes.len - 1;
}

int calls_add(struct calls *c, sym_id sym, uint32_t parent, uint32_t lane, uint32_t depth,
	      uint8_t state, uint32_t line, uint32_t *ret_call)
{
	if (UNLIKELY(c->n >= LIMIT_CALLS))
		return ERR_LIMIT;
	*VEC_PUSH(&c->sym) = sym;
	*VEC_PUSH(&c->parent) = parent;
	*VEC_PUSH(&c->lane) = lane;
	*VEC_PUSH(&c->line) = line;
	*VEC_PUSH(&c->dur_ns_low) = 0;
	*VEC_PUSH(&c->depth) = (uint16_t)(depth > UINT16_MAX ? UINT16_MAX : depth);
	*VEC_PUSH(&c->state) = (uint8_t)(state | CALL_NO_DURATION);
	if (c->start_ns.len)
		*VEC_PUSH(&c->start_ns) = UINT64_MAX;
	if (c->retval.len) {
		*VEC_PUSH(&c->retval) = 0;
		*VEC_PUSH(&c->retval_kind) = RETVAL_NONE;
	}
	if (c->args.len)
		*VEC_PUSH(&c->args) = STR_ID_NONE;
	*ret_call = (uint32_t)c->n++;
	return OK;
}

/* Insert by ascending call; nearly always at the end, but parents close late. */
static void calls_set_long(struct calls *c, uint32_t call, uint64_t dur_ns)
{
	size_t at = c->long_durations.len;

	(void)VEC_PUSH(&c->long_durations);
	while (at && c->long_durations.data[at - 1].call > call)
		at--;
	memmove(&c->long_durations.data[at + 1], &c->long_durations.data[at],
		(c->long_durations.len - 1 - at) * sizeof(*c->long_durations.data));
	c->long_durations.data[at] = (struct call_long){ call, dur_ns };
}

void calls_set_duration(struct calls *c, uint32_t call, uint64_t dur_ns)
{
	c->state.data[call] &= (uint8_t)~CALL_NO_DURATION;
	c->has_durations = true;
	if (dur_ns < UINT32_MAX) {
		c->dur_ns_low.data[call] = (uint32_t)dur_ns;
		return;
	}
	c->dur_ns_low.data[call] = UINT32_MAX;
	calls_set_long(c, call, dur_ns);
}

uint64_t calls_long_duration(const struct calls *c, uint32_t call)
{
	size_t low = 0;
	size_t high = c->long_durations.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->long_durations.data[mid].call < call)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->long_durations.len && c->long_durations.data[low].call == call
		       ? c->long_durations.data[low].dur_ns
		       : 0;
}

/* Give an optional column one element for each call so far. */
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
