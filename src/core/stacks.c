/* SPDX-License-Identifier: MIT */
#include "core/stacks.h"

#include "base/limits.h"

void stacks_init(struct stacks *s)
{
	memset(s, 0, sizeof(*s));
	*VEC_PUSH(&s->parent) = 0;
	*VEC_PUSH(&s->sym) = SYM_ID_NONE;
}

void stacks_fini(struct stacks *s)
{
	VEC_FREE(&s->parent);
	VEC_FREE(&s->sym);
	slots_fini(&s->index);
}

/* Room for one more; after stacks_order() the index is made anew. */
static void stacks_make_room(struct stacks *s)
{
	bool is_empty = !s->index.data;

	slots_make_room(&s->index, is_empty ? stacks_count(s) : 1);
	for (uint32_t i = 1; is_empty && i < stacks_count(s); i++) {
		uint32_t parent = s->parent.data[i];
		uint32_t sym = s->sym.data[i].v;

		slots_fill(&s->index, slots_find(&s->index, parent, sym),
			   (struct slot){ parent, sym, i });
	}
}

stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym)
{
	struct slot *slot;
	uint32_t id;

	if (UNLIKELY(!slots_have_room(&s->index, 1)))
		stacks_make_room(s);
	slot = slots_find(&s->index, parent.v, sym.v);
	if (LIKELY(slot->value))
		return (stack_id){ slot->value };
	if (stacks_is_full(s))
		return parent;
	id = stacks_count(s);
	slots_fill(&s->index, slot, (struct slot){ parent.v, sym.v, id });
	*VEC_PUSH(&s->parent) = parent.v;
	*VEC_PUSH(&s->sym) = sym;
	s->is_ordered = false;
	return (stack_id){ id };
}

bool stacks_is_full(const struct stacks *s)
{
	return s->parent.len >= LIMIT_STACK_NODES;
}

uint32_t stacks_depth(const struct stacks *s, stack_id id)
{
	uint32_t depth = 0;

	for (; id.v; id = stacks_parent(s, id))
		depth++;
	return depth;
}

uint32_t *stacks_places(const struct stacks *s)
{
	const uint32_t *parent = s->parent.data;
	uint32_t n = stacks_count(s);
	uint32_t *place;
	uint32_t *next; /* nodes below, then where the next child goes */
	bool is_ordered = true;

	if (s->is_ordered)
		return NULL;
	place = xreallocarray(NULL, n, sizeof(*place));
	next = xcalloc(n, sizeof(*next));
	for (uint32_t i = n; i-- > 1;)
		next[parent[i]] += next[i] + 1;
	place[0] = 0;
	next[0] = 1;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t below = next[i];

		place[i] = next[parent[i]];
		next[parent[i]] += below + 1;
		next[i] = place[i] + 1;
		is_ordered &= place[i] == i;
	}
	free(next);
	if (!is_ordered)
		return place;
	free(place);
	return NULL;
}

uint32_t *stacks_order(struct stacks *s)
{
	uint32_t *place = stacks_places(s);
	uint32_t n = stacks_count(s);
	uint32_t *parent;
	sym_id *sym;

	slots_fini(&s->index);
	s->is_ordered = true;
	if (!place)
		return NULL;
	parent = xreallocarray(NULL, n, sizeof(*parent));
	for (uint32_t i = 0; i < n; i++)
		parent[place[i]] = place[s->parent.data[i]];
	free(s->parent.data);
	s->parent.data = parent;
	s->parent.cap = n;
	sym = xreallocarray(NULL, n, sizeof(*sym));
	for (uint32_t i = 0; i < n; i++)
		sym[place[i]] = s->sym.data[i];
	free(s->sym.data);
	s->sym.data = sym;
	s->sym.cap = n;
	return place;
}
