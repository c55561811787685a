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
	idmap_fini(&s->map);
}

stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym)
{
	struct idmap_probe p = idmap_first(&s->map, hash_u64(parent.v, sym.v));
	uint32_t id;

	while (idmap_next(&s->map, &p)) {
		if (s->parent.data[p.id] == parent.v && s->sym.data[p.id].v == sym.v)
			return (stack_id){ p.id };
	}
	if (stacks_is_full(s))
		return parent;
	id = stacks_count(s);
	*VEC_PUSH(&s->parent) = parent.v;
	*VEC_PUSH(&s->sym) = sym;
	idmap_insert(&s->map, &p, id);
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
