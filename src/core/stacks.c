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
	if (s->slots)
		free_table(s->slots, (s->mask + 1) * sizeof(*s->slots));
	s->slots = NULL;
	s->mask = 0;
}

/* The slot of the child, or the empty one where it belongs. */
static struct stacks_slot *stacks_slot(const struct stacks *s, uint32_t parent, uint32_t sym)
{
	uint64_t hash = hash_u64(parent, sym);
	size_t at = (size_t)hash & s->mask;

	for (;; at = (at + 1) & s->mask) {
		struct stacks_slot *slot = &s->slots[at];

		if (slot->node == 0 || (slot->parent == parent && slot->sym == sym))
			return slot;
	}
}

static void stacks_grow(struct stacks *s)
{
	size_t n = s->slots ? (s->mask + 1) * 2 : 64;

	if (s->slots)
		free_table(s->slots, (s->mask + 1) * sizeof(*s->slots));
	s->slots = xcalloc_table(n * sizeof(*s->slots));
	s->mask = n - 1;
	for (uint32_t i = 1; i < stacks_count(s); i++) {
		uint32_t parent = s->parent.data[i];
		uint32_t sym = s->sym.data[i].v;

		*stacks_slot(s, parent, sym) = (struct stacks_slot){ parent, sym, i };
	}
}

stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym)
{
	struct stacks_slot *slot;
	uint32_t id;

	/* at most 3/4 full */
	if (UNLIKELY(s->parent.len * 4 >= (s->mask + 1) * 3 || !s->slots))
		stacks_grow(s);
	slot = stacks_slot(s, parent.v, sym.v);
	if (LIKELY(slot->node))
		return (stack_id){ slot->node };
	if (stacks_is_full(s))
		return parent;
	id = stacks_count(s);
	*slot = (struct stacks_slot){ parent.v, sym.v, id };
	*VEC_PUSH(&s->parent) = parent.v;
	*VEC_PUSH(&s->sym) = sym;
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
