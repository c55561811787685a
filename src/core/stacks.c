/* SPDX-License-Identifier: MIT */
#include "core/stacks.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

/* a node with at most this many children keeps them in a list, which is searched linearly */
#define STACKS_LIST 8u

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
	VEC_FREE(&s->links);
	slots_fini(&s->index);
}

static void stacks_index_child(struct stacks *s, uint32_t id)
{
	uint32_t parent = s->parent.data[id];
	uint32_t sym = s->sym.data[id].v;

	slots_reserve(&s->index, 1);
	slots_fill(&s->index, slots_find(&s->index, parent, sym), (struct slot){ parent, sym, id });
}

/* Move the children of node @parent from its list to the hash index `stacks.index`. */
static void stacks_widen(struct stacks *s, uint32_t parent)
{
	uint32_t child = s->links.data[parent].child;

	for (; child; child = s->links.data[child].sibling)
		stacks_index_child(s, child);
	s->links.data[parent].child = STACKS_WIDE;
}

/* Make node @id a child of its parent, whose list has @n_listed children. */
static void stacks_link(struct stacks *s, uint32_t id, uint32_t n_listed)
{
	struct stacks_link *parent = &s->links.data[s->parent.data[id]];

	if (n_listed == STACKS_LIST)
		stacks_widen(s, s->parent.data[id]);
	if (parent->child == STACKS_WIDE) {
		stacks_index_child(s, id);
	} else {
		s->links.data[id].sibling = parent->child;
		parent->child = id;
	}
}

/* Link each node to its children again, after stacks_order() removed the links. */
static void stacks_link_all(struct stacks *s)
{
	while (s->links.len < s->parent.len)
		*VEC_PUSH(&s->links) = (struct stacks_link){ 0, 0 };
	for (uint32_t i = 1; i < stacks_count(s); i++) {
		uint32_t n = 0;
		uint32_t child = s->links.data[s->parent.data[i]].child;

		for (; child && child != STACKS_WIDE; child = s->links.data[child].sibling)
			n++;
		stacks_link(s, i, n);
	}
}

stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym)
{
	uint32_t n_listed = 0;
	uint32_t child;
	uint32_t id;

	if (UNLIKELY(s->links.len != s->parent.len))
		stacks_link_all(s);
	child = s->links.data[parent.v].child;
	if (child == STACKS_WIDE) {
		child = slots_find(&s->index, parent.v, sym.v)->value;
	} else {
		while (child && s->sym.data[child].v != sym.v) {
			child = s->links.data[child].sibling;
			n_listed++;
		}
	}
	if (LIKELY(child))
		return (stack_id){ child };
	if (stacks_is_full(s))
		return parent;
	id = stacks_count(s);
	*VEC_PUSH(&s->parent) = parent.v;
	*VEC_PUSH(&s->sym) = sym;
	*VEC_PUSH(&s->links) = (struct stacks_link){ 0, 0 };
	stacks_link(s, id, n_listed);
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
	/*
	 * next[node] has two meanings. Before the node has its position: the number of nodes below
	 * it. Afterwards: the position of its next child.
	 */
	uint32_t *next;
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
	VEC_FREE(&s->links);
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
