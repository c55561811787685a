/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - call stacks as a prefix tree
 *
 * Two samples that share their outermost frames share those nodes, so a stack
 * is one id and "is A below B" is a walk up the parents. Node 0 is the root and
 * holds no symbol. A parent's id is smaller than its children's: one pass over
 * the ids from the end sums subtrees, one from the start spreads from callers.
 *
 * Outermost first: push the caller, then the callee. Where the command of a
 * sample is known, it is the first frame, a symbol of SPACE_COMM.
 *
 * Not thread safe: one reader fills one tree.
 */
#ifndef CORE_STACKS_H
#define CORE_STACKS_H

#include "base/slots.h"
#include "core/symbols.h"

/* Children of a node: most have one, and it was made right behind its parent. */
struct stacks_link {
	uint32_t child;   /* the newest; 0: none; STACKS_WIDE: they are in the index */
	uint32_t sibling; /* the next older child of the same parent; 0: none */
};

#define STACKS_WIDE UINT32_MAX

struct stacks {
	VEC(uint32_t) parent; /* by node id; the root is its own parent */
	VEC(sym_id) sym;
	VEC(struct stacks_link) links; /* empty after stacks_order(), until the next push */
	struct slots index;            /* of children of wide nodes: parent, symbol -> node */
	bool is_ordered;               /* by stacks_order(), and nothing was added since */
};

void stacks_init(struct stacks *s);
void stacks_fini(struct stacks *s);
/*
 * The child of @parent that holds @sym, made on first use. Past
 * LIMIT_STACK_NODES the answer is @parent itself: the sample keeps its weight
 * and loses inner frames; check stacks_is_full() to count that.
 * Cost: O(1) expected.
 */
stack_id stacks_push(struct stacks *s, stack_id parent, sym_id sym);
/*
 * The same with @n symbols, each below the one before: @ret gets their nodes. Cheaper
 * than one by one, as what is below a new node is new.
 */
void stacks_push_all(struct stacks *s, stack_id parent, const sym_id *syms, size_t n,
		     stack_id *ret);
/* Fetch what stacks_push() of the same will look at. */
static inline void stacks_prefetch(const struct stacks *s, stack_id parent)
{
	if (parent.v < s->links.len)
		__builtin_prefetch(&s->links.data[parent.v]);
}
bool stacks_is_full(const struct stacks *s);
/* Frames from the root to @id, the root excluded: 0 for STACK_ROOT. Cost: O(depth). */
uint32_t stacks_depth(const struct stacks *s, stack_id id);

/*
 * The number of each node when they are numbered depth first, children in the
 * order in which they were made: a subtree is then a range that begins with its
 * root, and a pass over all nodes goes through memory once. Owner: caller, free().
 * NULL: they are numbered so already. Cost: O(nodes), twice 4 bytes a node.
 */
uint32_t *stacks_places(const struct stacks *s);
/*
 * Number the nodes so, and return stacks_places() of before. What leads to children is
 * dropped; the next push makes it anew.
 */
uint32_t *stacks_order(struct stacks *s);

static inline stack_id stacks_parent(const struct stacks *s, stack_id id)
{
	return (stack_id){ s->parent.data[id.v] };
}

static inline sym_id stacks_sym(const struct stacks *s, stack_id id)
{
	return s->sym.data[id.v];
}

/* Nodes, the root included: ids are 0 … count - 1. */
static inline uint32_t stacks_count(const struct stacks *s)
{
	return (uint32_t)s->parent.len;
}

#endif
